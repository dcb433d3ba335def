// KeptImages: what compiles have come to, in memory, for later instances and for later sessions of a process. Any
// thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/image.hpp"
#include "files/image_cache.hpp"

namespace attune {

struct CompileResult {
  CompileOutcome outcome;
  int deaths = 0;  // of compile workers
};

class KeptImages {
 public:
  // `disk`: where images are looked for that were not kept; null: nowhere.
  explicit KeptImages(ImageCache* disk = nullptr) : disk_(disk) {}

  // Returns what was kept for this image_key(); nothing if it was not.
  std::optional<CompileResult> find(const std::string& key);
  void keep(const std::string& key, CompileResult compiled);
  // Returns how many compiles were kept, without those from the disk.
  std::int64_t compiled() const {
    const std::lock_guard lock(mutex_);
    return compiled_;
  }

 private:
  // The images of this many compiles are kept. With cubins of 20 KB that is 40 MB.
  static constexpr std::size_t most = 2048;

  void keep_locked(const std::string& key, CompileResult compiled);

  ImageCache* const disk_;
  mutable std::mutex mutex_;
  std::map<std::string, CompileResult> by_key_;
  std::deque<std::string> order_;
  std::int64_t compiled_ = 0;
};

}  // namespace attune
