// ImageCache: compiled images on disk, one file each, named by key. Disposable and size-capped (1 GiB, least recently
// used go first; 64 MiB an entry). Any thread, any number of processes. Never throws: what cannot be read, is damaged,
// or is not private to this user counts as absent, and what cannot be written is dropped; why() tells.
// Files: docs/formats/image.md.
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "core/image.hpp"

namespace attune {

class ImageCache {
 public:
  explicit ImageCache(std::filesystem::path directory);

  std::optional<Image> find(const std::string& key) noexcept;
  void put(const std::string& key, const Image& image) noexcept;
  // The last reason for which the cache was not used, or "".
  std::string why() const;

 private:
  std::filesystem::path directory_;
  mutable std::mutex mutex_;
  std::string why_;
};

}  // namespace attune
