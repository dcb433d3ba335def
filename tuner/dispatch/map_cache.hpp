// MapCache: the tensor maps that a plan encoded last, since encoding takes the driver 1.7 us. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "device/launch_frame.hpp"

namespace attune {

class MapCache {
 public:
  // Writes the tensor maps of the frame's arrays into it. An array whose address is no multiple of 16 has a map of
  // zeros: `misaligned` is then its name, else null. Takes no lock where there are no maps.
  Status aim(const LoadedSteps& steps, Device& device, LaunchFrame& frame, const std::string*& misaligned);

 private:
  // Of each map, so many arrays are remembered: a double buffer on each side, for instance.
  static constexpr std::size_t arrays = 4;
  struct Encoded {
    const void* array = nullptr;
    std::array<std::byte, tensor_map_bytes> bytes{};
  };
  struct OfMap {
    std::array<Encoded, arrays> encoded;
    std::size_t oldest = 0;
  };
  bool find(std::size_t map, const void* array, void* bytes);
  void remember(std::size_t map, std::size_t maps, const void* array, const void* bytes);

  std::mutex mutex_;
  std::vector<OfMap> maps_;  // empty before the first encode
};

}  // namespace attune
