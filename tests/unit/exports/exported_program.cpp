#include "exported_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "exports/cpp_text.hpp"
#include "support/command.hpp"

namespace attune::test {
namespace {

DeviceInfo of_class(const std::string& architecture, const std::string& name, int multiprocessors,
                    std::uint64_t gibibytes) {
  DeviceInfo device = device_limits(architecture);
  device.name = name;
  device.multiprocessors = multiprocessors;
  device.memory_bytes = (gibibytes << 30) - 12345678;
  device.driver = "580.159 (CUDA 13.0)";
  return device;
}

}  // namespace

std::string output_of_program(const std::string& text, const std::vector<std::string>& options) {
  const std::string pattern = (std::filesystem::temp_directory_path() / "attune_export_XXXXXX").string();
  std::string folder = pattern;
  if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  const std::string source = folder + "/main.cpp", program = folder + "/main";
  std::ofstream(source, std::ios::binary) << text;
  std::vector<std::string> command = {ATTUNE_TEST_CXX, "-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                                      "-Wconversion",  "-Werror",    source,  "-o",      program};
  command.insert(command.end(), options.begin(), options.end());
  const CommandResult compiled = run_command(command);
  if (compiled.code != 0) throw std::runtime_error(source + ":\n" + compiled.err.substr(0, 4000));
  const CommandResult result = run_command({program});
  std::filesystem::remove_all(folder);
  if (result.code != 0) throw std::runtime_error(fmt::format("ended with {}: {}", result.code, result.err));
  return result.out;
}

std::string device_code(const DeviceInfo& device) {
  return fmt::format(
      "[] {{ Device d; d.kind = {}; d.name = {}; d.compute_capability = {}; d.multiprocessors = {}; d.memory_bytes = "
      "{}u; d.memory_bus_bits = {}; d.l2_bytes = {}u; d.max_threads_per_multiprocessor = {}; d.shared_static_limit = "
      "{}u; d.shared_per_block = {}u; d.shared_per_multiprocessor = {}u; d.max_threads_per_block = {}; d.driver = {}; "
      "d.driver_cuda_version = {}; "
      "return d; }}()",
      cpp_string(device.kind), cpp_string(device.name), device.compute_capability, device.multiprocessors,
      device.memory_bytes, device.memory_bus_bits, device.l2_bytes, device.max_threads_per_multiprocessor,
      device.shared_static_limit, device.shared_per_block, device.shared_per_multiprocessor,
      device.max_threads_per_block, cpp_string(device.driver), device.driver_cuda_version);
}

DeviceInfo h100() { return of_class("sm_90", "NVIDIA H100 80GB HBM3", 114, 80); }
DeviceInfo h200() { return of_class("sm_90", "NVIDIA H200", 132, 141); }
DeviceInfo a100() { return of_class("sm_80", "NVIDIA A100", 108, 40); }

DeviceInfo host_cpu() {
  DeviceInfo device;
  device.kind = "host";
  device.name = "Some | CPU";
  device.multiprocessors = 8;
  device.memory_bytes = 64ull << 30;
  device.l2_bytes = 33ull << 20;
  device.max_threads_per_multiprocessor = 1024;
  device.driver = "g++ 13";
  return device;
}

}  // namespace attune::test
