// Selects and computes by an exported header alone: this program includes and links nothing of attune. The header comes
// from: attune export smooth.cu --format header -o attune_export_smooth.hpp
#include <cstdio>

#include "attune_export_smooth.hpp"

namespace smooth = attune_export_smooth;

// An application asks its driver. This GPU is made up, and so are the records of it.
smooth::Device example_gpu() {
  smooth::Device device;
  device.name = "Example GPU";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.memory_bytes = 80ull << 30;
  device.memory_bus_bits = 5120;
  device.l2_bytes = 50ull << 20;
  device.shared_per_block = 232448;
  device.shared_per_multiprocessor = 233472;
  return device;
}

// Shows what the application would do. Returns whether there is something to launch.
bool show(const smooth::Problem& problem, const smooth::Device& device) {
  const smooth::Selection selection = smooth::select(problem, device);
  std::printf("%s: %s\n", smooth::text_of(problem).c_str(), selection.why.c_str());
  if (!selection.is_found) return false;
  std::printf("  %s, rung %s\n", smooth::text_of(selection.configuration).c_str(), smooth::text_of(selection.rung));
  for (const smooth::Step& step : selection.steps)
    std::printf("  launch %s <<<%u, %u, %llu>>>\n", step.entry.c_str(), step.shape.grid[0], step.shape.block[0],
                static_cast<unsigned long long>(step.shape.shared_bytes));
  for (const smooth::Argument& argument : selection.arguments)
    std::printf("  %s: %llu bytes\n", argument.name, static_cast<unsigned long long>(argument.bytes));
  return true;
}

int main() {
  const smooth::Device gpu = example_gpu();
  const bool exact = show({1 << 24, "float"}, gpu), near = show({20000000, "float"}, gpu);
  const bool other = show({1 << 24, "double"}, gpu), none = show({0, "float"}, gpu);
  return exact && near && other && !none ? 0 : 1;
}
