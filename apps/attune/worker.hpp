// The workers of the commands: this very program, or what --worker names.
#pragma once

#include <memory>
#include <string>

#include "command.hpp"
#include "options.hpp"
#include "worker/process/worker_program.hpp"
#include "worker/workers.hpp"

namespace attune::cli {

void add_worker_option(Options& options);
// Returns the options of workers that the command line asks for.
WorkerOptions worker_options(const Options& options);

// Returns workers in processes, for a device of this name.
std::unique_ptr<Workers> workers_for(const std::string& device, const WorkerOptions& options = {});
// The same with a device worker for each of the devices.
std::unique_ptr<Workers> workers_for(std::vector<std::string> devices, const WorkerOptions& options);

// Opens, in a worker, the program of a callable: `arguments` has its command. Returns null for other names.
std::unique_ptr<Testbed> open_program(const std::string& name, const Arguments& arguments);

// Opens `replay:FILE` in a worker. `arguments`: kernel and problem of the recording, as far as they are needed to tell
// it from others of the file. Returns null for other names.
std::unique_ptr<Testbed> open_recording(const std::string& name, const Arguments& arguments);
// Returns the compiler that stands in for that of the recording, likewise.
std::shared_ptr<Compiler> recording_compiler(const std::string& name, const Arguments& arguments);

// Runs run_command_line() with workers that have these seams.
int run_command_line(int count, char** values, WorkerSeams seams);

}  // namespace attune::cli
