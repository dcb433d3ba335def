// A program as a worker: PROGRAM attune-worker device|compile --device NAME. The coordinator starts it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "worker/jobs.hpp"

namespace attune {

// The first argument of a program that is started as a worker.
inline constexpr const char* worker_word = "attune-worker";

// What a program puts between a worker and its device or compiler. The default does nothing.
struct WorkerSeams {
  // Opens a device that the program alone knows. `arguments`: those behind the name. Returns null for other names.
  std::function<std::unique_ptr<Device>(const std::string& name, const std::vector<std::string>& arguments)> open;
  std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)> device;
  std::function<std::shared_ptr<Compiler>(std::shared_ptr<Compiler>)> compiler;
  // Called before an instance is loaded, and before images are compiled.
  std::function<void(std::string_view configuration, int attempt)> trying;
  std::function<void(const Compile&)> compiling;
};

// Does what the public worker_main() does, with these seams, and in a set-user-id program too.
std::optional<int> worker_main(int count, char** values, const WorkerSeams& seams);

// Serves as a worker. `arguments`: device|compile --device NAME [ARGUMENT...]. Returns the exit status. Never throws.
int run_worker(const std::vector<std::string>& arguments, const WorkerSeams& seams);

// Returns whether this program has called worker_main(), so that it can start itself as a worker.
bool is_worker_program() noexcept;

}  // namespace attune
