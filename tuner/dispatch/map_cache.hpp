// MapCache: keeps the tensor maps that a plan encoded last, because the driver takes 1.7 us to encode one. Any thread.
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
  // Writes the tensor maps of the frame's arrays into the frame. An array whose address is no multiple of 16 gets a map
  // of zeros, and `misaligned` becomes its name; without such an array it becomes null. Returns the status of encoding.
  // Takes no lock where there are no maps.
  Status aim(const LoadedSteps& steps, Device& device, LaunchFrame& frame, const std::string*& misaligned);

 private:
  // For each map so many arrays are remembered: enough for a double buffer on each side, for instance.
  static constexpr std::size_t arrays = 4;
  struct EncodedMap {
    const void* array = nullptr;
    std::array<std::byte, tensor_map_bytes> bytes{};
  };
  struct OfMap {
    std::array<EncodedMap, arrays> encoded;
    std::size_t oldest = 0;
  };
  bool find(std::size_t map, const void* array, void* bytes);
  void remember(std::size_t map, std::size_t maps, const void* array, const void* bytes);

  std::mutex mutex_;
  std::vector<OfMap> maps_;  // empty before the first encode
};

}  // namespace attune
