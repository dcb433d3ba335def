// `attune worker device|compile`: this program as a worker. Not for users: the coordinator starts it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "command.hpp"
#include "worker/jobs.hpp"
#include "worker/runner.hpp"
#include "worker/workers.hpp"

namespace attune::cli {

// Hooks of a test program between a worker and its testbed or compiler. The default does nothing.
struct WorkerSeams {
  std::function<std::unique_ptr<Testbed>(std::unique_ptr<Testbed>)> testbed;
  std::function<std::shared_ptr<Compiler>(std::shared_ptr<Compiler>)> compiler;
  // Called before images are compiled.
  std::function<void(const Compile&)> compiling;
};

int run_worker(const Arguments& arguments, const WorkerSeams& seams);

// Returns workers in processes of this very program, for a device of this name. `kernel` and `problem` choose the
// recording of a `replay:` file, as far as they are given.
std::unique_ptr<Workers> workers_for(const std::string& device, const std::optional<std::string>& kernel = {},
                                     const std::optional<std::string>& problem = {});
// Returns workers that print where this process does.
std::unique_ptr<Workers> printing_workers_for(const std::string& device);

// Runs run_command_line() with these hooks.
int run_command_line(int count, char** values, const WorkerSeams& seams);

}  // namespace attune::cli
