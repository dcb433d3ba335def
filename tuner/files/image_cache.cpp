#include "files/image_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "attune/error.hpp"
#include "files/paths.hpp"
#include "files/private_directory.hpp"

namespace attune {
namespace {

constexpr std::string_view suffix = ".image";
constexpr std::size_t key_digits = 64;  // SHA-256
// A sweep removes a tenth more than it must, so that not every put at the limit sweeps.
constexpr double swept_share = 0.9;
// After a sweep, this process may fill one part in so many of the free room, because other processes put images too.
constexpr std::uint64_t room_divisor = 4;
// A temporary file of this age belongs to a writer that was killed.
constexpr std::time_t abandoned_after_s = 3600;

bool is_key(std::string_view key) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  return key.size() == key_digits && std::all_of(key.begin(), key.end(), is_digit);
}

void require_key(const std::string& key) {
  if (!is_key(key)) throw Error(fmt::format("\"{}\" is no image key (64 hexadecimal digits)", key));
}

std::optional<Descriptor> open_images(const std::filesystem::path& directory, const char* variable) {
  // The outer directory is checked too, because its owner can replace the inner one.
  if (!open_private_directory(directory, variable)) return {};
  return open_private_directory(directory / "images", variable);
}

struct CacheFile {
  timespec used{};
  std::uint64_t bytes = 0;
  std::string name;
};

bool older(const CacheFile& a, const CacheFile& b) {
  return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
}

// Returns all entries. Removes abandoned temporary files.
std::vector<CacheFile> list_entries(int directory) {
  const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return {};
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(fdopendir(fd), closedir);
  std::vector<CacheFile> entries;
  while (const dirent* item = stream ? readdir(stream.get()) : nullptr) {
    const std::string name = item->d_name;
    struct stat status {};
    if (fstatat(directory, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    if (name.starts_with(temporary_prefix) && std::time(nullptr) - status.st_mtime > abandoned_after_s)
      unlinkat(directory, name.c_str(), 0);
    if (name.ends_with(suffix)) entries.push_back({status.st_mtim, static_cast<std::uint64_t>(status.st_size), name});
  }
  return entries;
}

// Removes the least recently used until at most `target` bytes are left; returns the bytes left.
std::uint64_t remove_oldest(int directory, std::vector<CacheFile> entries, std::uint64_t total, std::uint64_t target) {
  std::sort(entries.begin(), entries.end(), older);
  for (const CacheFile& entry : entries) {
    if (total <= target) break;
    unlinkat(directory, entry.name.c_str(), 0);
    total -= entry.bytes;
  }
  return total;
}

}  // namespace

ImageCache::ImageCache(std::filesystem::path directory, Limits limits, Access access)
    : directory_(std::move(directory)), limits_(limits), access_(access) {}

const char* ImageCache::variable() const noexcept {
  return access_ == Access::read_only ? "ATTUNE_SITE_CACHE" : "ATTUNE_CACHE";
}

std::optional<Image> ImageCache::find(const std::string& key) noexcept {
  try {
    return read(key);
  } catch (const std::exception& error) {
    explain(error.what());
  }
  return {};
}

void ImageCache::put(const std::string& key, const Image& image) noexcept {
  try {
    write(key, image);
  } catch (const std::exception& error) {
    explain(error.what());
  }
}

std::string ImageCache::why() const {
  const std::lock_guard lock(mutex_);
  return why_;
}

void ImageCache::explain(const std::string& reason) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    why_ = fmt::format("image cache {}: {}", directory_.string(), reason);
  } catch (const std::exception&) {  // no memory for the reason: there is none then
  }
}

std::optional<Image> ImageCache::read(const std::string& key) {
  require_key(key);
  const auto images = open_images(directory_, variable());
  if (!images) return {};
  const std::string name = key + std::string(suffix);
  const auto bytes = read_private_file(*images, name, limits_.entry_bytes, access_ == Access::read_and_write);
  if (!bytes) return {};
  auto image = deserialise(*bytes);
  if (!image) {
    const bool removed = access_ == Access::read_and_write && unlinkat(images->get(), name.c_str(), 0) == 0;
    explain(fmt::format("{} was damaged, or of another version{}", name, removed ? ", and has been removed" : ""));
  }
  return image;
}

void ImageCache::write(const std::string& key, const Image& image) {
  require_key(key);
  if (access_ == Access::read_only) throw Error("it is only read");
  if (!image.knows_files)
    throw Error("an image is not kept whose headers are too many, too large, or named by a macro alone, to be checked");
  const auto bytes = serialise(image);
  if (bytes.size() > limits_.entry_bytes)
    throw Error(fmt::format("an image of {} bytes is not kept (limit {})", bytes.size(), limits_.entry_bytes));
  make_private_directory(directory_ / "images", variable());
  const auto images = open_images(directory_, variable());
  if (!images) throw Error("the directory vanished while it was being made");
  if (!belongs_to_this_user(*images)) return;  // it is root's, as in a container image, and is only read
  replace_file(*images, key + std::string(suffix), bytes, private_file_mode);
  make_room(images->get(), bytes.size());
}

void ImageCache::make_room(int directory, std::uint64_t added_bytes) {
  const std::lock_guard lock(mutex_);
  if (added_bytes <= bytes_before_sweep_) {
    bytes_before_sweep_ -= added_bytes;
    return;
  }
  auto entries = list_entries(directory);
  std::uint64_t total = 0;
  for (const CacheFile& entry : entries) total += entry.bytes;
  if (total > limits_.total_bytes) {
    const auto target = static_cast<std::uint64_t>(swept_share * static_cast<double>(limits_.total_bytes));
    total = remove_oldest(directory, std::move(entries), total, target);
  }
  bytes_before_sweep_ = total < limits_.total_bytes ? (limits_.total_bytes - total) / room_divisor : 0;
}

}  // namespace attune
