#include "dispatch/map_cache.hpp"

#include <algorithm>
#include <cstring>

namespace attune {

bool MapCache::find(std::size_t map, const void* array, void* bytes) {
  const std::lock_guard lock(mutex_);
  if (maps_.empty()) return false;
  const auto& encoded = maps_[map].encoded;
  const auto place = std::ranges::find(encoded, array, &EncodedMap::array);
  if (place == encoded.end()) return false;
  std::memcpy(bytes, place->bytes.data(), tensor_map_bytes);
  return true;
}

void MapCache::remember(std::size_t map, std::size_t maps, const void* array, const void* bytes) {
  const std::lock_guard lock(mutex_);
  maps_.resize(maps);
  OfMap& of = maps_[map];
  EncodedMap& encoded = of.encoded[of.oldest];
  of.oldest = (of.oldest + 1) % arrays;
  encoded.array = array;
  std::memcpy(encoded.bytes.data(), bytes, tensor_map_bytes);
}

Status MapCache::aim(const LoadedSteps& steps, Device& device, LaunchFrame& frame, const std::string*& misaligned) {
  misaligned = nullptr;
  const std::span<const std::size_t> maps = steps.maps();
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::size_t of = steps.argument(maps[i]).map->array;
    void* const array = LoadedSteps::array_in(frame.slots()[of]);
    void* const bytes = frame.slots()[maps[i]];
    if (!LoadedSteps::has_map(array)) {
      misaligned = &steps.argument(of).name;
      continue;
    }
    if (array == nullptr || find(i, array, bytes)) continue;
    if (Status status = steps.encode_map(device, maps[i], array, bytes); !status.ok()) return status;
    remember(i, maps.size(), array, bytes);
  }
  return {};
}

}  // namespace attune
