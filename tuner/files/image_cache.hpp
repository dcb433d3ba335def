// ImageCache: compiled images on disk, one file for each, named by key. It may be deleted at any time. It holds at most
// 1 GiB, and 64 MiB in an entry; the least recently used entries are removed first. Any thread, any number of
// processes. No function throws. A file that cannot be read, is damaged or is not private to this user counts as
// absent. An image that cannot be written is dropped, and why() gives the reason. A read-only cache stays as it is: no
// entry is written, removed or touched. Files: docs/formats/image_cache.md and docs/formats/image.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "core/image.hpp"

namespace attune {

class ImageCache {
 public:
  // A cubin has some 10 KB, so that tens of thousands fit into the total. A larger entry than 64 MiB is not a kernel.
  struct Limits {
    std::uint64_t entry_bytes = std::uint64_t{64} << 20;
    std::uint64_t total_bytes = std::uint64_t{1} << 30;
  };

  enum class Access { read_and_write, read_only };

  // Keeps the images in `directory`/images. Creates nothing before the first put().
  explicit ImageCache(std::filesystem::path directory, Access access = Access::read_and_write)
      : ImageCache(std::move(directory), Limits(), access) {}
  ImageCache(std::filesystem::path directory, Limits limits, Access access = Access::read_and_write);

  std::optional<Image> find(const std::string& key) noexcept;
  void put(const std::string& key, const Image& image) noexcept;
  // Returns the last reason for which the cache was not used, or "".
  std::string why() const;

 private:
  std::optional<Image> read(const std::string& key);
  void write(const std::string& key, const Image& image);
  void make_room(int directory, std::uint64_t added_bytes);
  const char* variable() const noexcept;  // the environment variable that names such a cache
  void explain(const std::string& reason) noexcept;
  std::filesystem::path directory_;
  Limits limits_;
  const Access access_;
  mutable std::mutex mutex_;
  std::string why_;
  std::uint64_t bytes_before_sweep_ = 0;  // how many bytes may be put before the next sweep of the directory
};

}  // namespace attune
