// A program as a worker: PROGRAM attune-worker device|compile --device NAME. The coordinator starts it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/compiler.hpp"
#include "worker/jobs.hpp"
#include "worker/runner.hpp"

namespace attune {

// The first argument of a program that is started as a worker.
inline constexpr const char* worker_word = "attune-worker";

// What a program puts between a worker and its testbed or compiler. The default does nothing.
struct WorkerSeams {
  using Words = std::vector<std::string>;
  // Open what the program alone knows, and its compiler. `arguments`: those behind the name. Return null for other
  // names.
  std::function<std::unique_ptr<Testbed>(const std::string& name, const Words& arguments)> open;
  std::function<std::shared_ptr<Compiler>(const std::string& name, const Words& arguments)> open_compiler;
  std::function<std::unique_ptr<Testbed>(std::unique_ptr<Testbed>)> testbed;
  std::function<std::shared_ptr<Compiler>(std::shared_ptr<Compiler>)> compiler;
  std::function<void(const Compile&)> compiling;  // called before images are compiled
};

// Does what the public worker_main() does, with these seams, and in a set-user-id program too.
std::optional<int> worker_main(int count, char** values, const WorkerSeams& seams);

// Serves as a worker. `arguments`: device|compile --device NAME [ARGUMENT...]. Returns the exit status. Never throws.
int run_worker(const std::vector<std::string>& arguments, const WorkerSeams& seams);

// Returns whether this program has called worker_main(), so that it can start itself as a worker.
bool is_worker_program() noexcept;

// Returns whether this program has called worker_main() with a tunable of this name.
bool is_worker_of(const std::string& tunable);

}  // namespace attune
