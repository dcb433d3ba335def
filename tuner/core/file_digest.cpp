#include "core/file_digest.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <tuple>
#include <unordered_map>

#include "base/digest.hpp"
#include "base/regular_file.hpp"

namespace attune {
namespace {

// The properties that change when a file changes. A file that was written a moment ago may be written again within one
// tick of the file system's clock, which leaves all of these as they are. Therefore a recent file is read again.
struct Signature {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified{}, changed{};
  explicit Signature(const struct stat& status)
      : device(status.st_dev),
        inode(status.st_ino),
        size(status.st_size),
        modified(status.st_mtim),
        changed(status.st_ctim) {}
  auto tie() const {
    return std::tie(device, inode, size, modified.tv_sec, modified.tv_nsec, changed.tv_sec, changed.tv_nsec);
  }
  bool operator==(const Signature& other) const { return tie() == other.tie(); }
  bool is_settled() const {
    constexpr std::time_t settled_after_s = 2;
    const std::time_t last = std::max(modified.tv_sec, changed.tv_sec);
    return std::time(nullptr) - last > settled_after_s;
  }
};

// The digests that this process knows. Cleared when full: no real program has so many headers.
class Memory {
 public:
  std::optional<FileDigest> find(const std::string& path, const Signature& signature) {
    const std::lock_guard lock(mutex_);
    const auto place = known_.find(path);
    if (place == known_.end() || !(place->second.signature == signature)) return std::nullopt;
    return place->second.digest;
  }
  void keep(const std::string& path, const Signature& signature, const FileDigest& digest) {
    constexpr std::size_t most = 65536;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= most) known_.clear();
    known_.insert_or_assign(path, FileEntry{signature, digest});
  }

 private:
  struct FileEntry {
    Signature signature;
    FileDigest digest;
  };
  std::mutex mutex_;
  std::unordered_map<std::string, FileEntry> known_;
};

Memory& memory() {
  static Memory known;
  return known;
}

std::optional<std::string> read_all(int file, std::size_t size) {
  std::string text(size + 1, '\0');  // one more byte, so that a file that grew is noticed
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = read(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return std::nullopt;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  text.resize(done);
  return text;
}

std::optional<FileDigest> digest_of(int file, std::uint64_t size) {
  if (size > max_digested_bytes) return std::nullopt;
  const std::optional<std::string> text = read_all(file, static_cast<std::size_t>(size));
  if (!text) return std::nullopt;
  return FileDigest{sha256(*text), text->size()};
}

bool is_file(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::optional<FileDigest> file_digest(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (auto known = memory().find(path, Signature(status))) return known;
  const int file = open_regular(path.c_str(), status);
  if (file < 0) return std::nullopt;
  const std::optional<FileDigest> digest = digest_of(file, static_cast<std::uint64_t>(status.st_size));
  close(file);
  if (digest && Signature(status).is_settled()) memory().keep(path, Signature(status), *digest);
  return digest;
}

bool are_unchanged(const std::vector<ImageFile>& files) {
  std::uint64_t bytes = 0;
  return std::all_of(files.begin(), files.end(), [&](const ImageFile& file) {
    if (file.is_absent()) return !is_file(file.path);
    const std::optional<FileDigest> now = file_digest(file.path);
    if (!now || now->sha256 != file.sha256) return false;
    bytes += now->bytes;
    return bytes <= max_digested_bytes;
  });
}

}  // namespace attune
