#include "device/cuda/nvrtc_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace attune::cuda {
namespace {

constexpr std::string_view prefix = "sm_";

// Returns 90 for "sm_90" and "sm_90a".
int number_of(const std::string& architecture) {
  int number = 0;
  const char* const end = architecture.data() + architecture.size();
  if (architecture.starts_with(prefix) &&
      std::from_chars(architecture.data() + prefix.size(), end, number).ec == std::errc())
    return number;
  throw UnknownArchitecture(fmt::format("`{}` is no architecture: expected sm_NN", architecture));
}

}  // namespace

NvrtcTarget nvrtc_target(const NvrtcLibrary& library, const std::string& architecture) {
  const int number = number_of(architecture);
  int newest_before = 0;
  for (const int known : library.architectures) {
    if (known == number) return {architecture, library.name()};
    if (known < number) newest_before = std::max(newest_before, known);
  }
  if (newest_before == 0) {
    std::string all;
    for (const int known : library.architectures) all += fmt::format("{}sm_{}", all.empty() ? "" : ", ", known);
    throw UnknownArchitecture(
        fmt::format("{} at {} cannot compile for {}: it knows {}. That device is too old for it: install NVRTC {} or "
                    "older and point ATTUNE_NVRTC at it",
                    library.name(), library.file.string(), architecture, all, library.major - 1));
  }
  if (architecture != fmt::format("{}{}", prefix, number)) {
    throw UnknownArchitecture(
        fmt::format("{} at {} cannot compile for {}, which is newer: install a newer NVRTC (and the driver that goes "
                    "with it), or leave `requires` out of the kernel's [compile]",
                    library.name(), library.file.string(), architecture));
  }
  const std::string made = fmt::format("compute_{}", newest_before);
  return {made, fmt::format("{}, PTX for {}", library.name(), made)};
}

}  // namespace attune::cuda
