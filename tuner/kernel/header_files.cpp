#include "kernel/header_files.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/digest.hpp"
#include "core/file_digest.hpp"
#include "core/include_scan.hpp"
#include "kernel/include_option.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

using Includes = std::shared_ptr<const std::vector<Include>>;

constexpr std::size_t longest_path = 4096;

// The #include lines of texts, by digest: toolkits have a thousand headers, and many kernels include the same.
class ScannedTexts {
 public:
  std::optional<Includes> find(const std::string& sha256) {
    const std::lock_guard lock(mutex_);
    const auto place = known_.find(sha256);
    return place == known_.end() ? std::nullopt : std::optional(place->second);
  }
  void keep(const std::string& sha256, const Includes& includes) {
    const std::lock_guard lock(mutex_);
    if (known_.size() >= 4 * max_image_files) known_.clear();
    known_.insert_or_assign(sha256, includes);
  }

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Includes> known_;
};

// Returns nothing when the file is no longer the one with this digest.
Includes includes_of_file(const ImageFile& file) {
  static ScannedTexts scanned;
  if (auto known = scanned.find(file.sha256)) return *known;
  std::ifstream stream(file.path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (sha256(text) != file.sha256) return nullptr;
  auto includes = std::make_shared<const std::vector<Include>>(find_includes(text));
  scanned.keep(file.sha256, includes);
  return includes;
}

std::string joined(const fs::path& folder, const std::string& name) {
  return (folder / name).lexically_normal().string();
}

class Walk {
 public:
  explicit Walk(const HeaderSearch& search) : search_(search) {}

  HeaderFiles run() {
    for (const EmbeddedHeader& given : search_.given)
      for (const Include& include : find_includes(given.text)) look_for(include, std::nullopt);
    while (found_.are_all && !queue_.empty()) {
      const ImageFile file = std::move(queue_.front());
      queue_.pop_front();
      const Includes includes = includes_of_file(file);
      if (!includes) continue;  // it changes just now: its digest will not match either
      for (const Include& include : *includes) look_for(include, fs::path(file.path).parent_path());
    }
    return std::move(found_);
  }

 private:
  void look_for(const Include& include, const std::optional<fs::path>& directory) {
    if (include.name.empty()) return;
    const auto has_name = [&](const EmbeddedHeader& given) { return given.name == include.name; };
    if (std::any_of(search_.given.begin(), search_.given.end(), has_name)) return;
    if (fs::path(include.name).is_absolute()) {
      look_at(joined("", include.name));
      return;
    }
    if (include.next) {  // whose folder is the next is not known here: all that have it count
      for (const std::string& folder : search_.folders) look_at(joined(folder, include.name));
      return;
    }
    if (include.quoted && directory && look_at(joined(*directory, include.name))) return;
    for (const std::string& folder : search_.folders)
      if (look_at(joined(folder, include.name))) return;
  }

  // Returns whether the compiler would find the file there.
  bool look_at(const std::string& path) {
    if (const auto place = looked_at_.find(path); place != looked_at_.end()) return place->second;
    const bool is_there = add_file(found_, path);
    looked_at_.emplace(path, is_there);
    if (is_there) queue_.push_back(found_.files.back());
    return is_there;
  }

  const HeaderSearch& search_;
  HeaderFiles found_;
  std::deque<ImageFile> queue_;
  std::unordered_map<std::string, bool> looked_at_;
};

}  // namespace

std::vector<std::string> include_folders(std::span<const std::string> options) {
  std::vector<std::string> folders;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (const auto folder = include_folder(options[i])) {
      folders.emplace_back(*folder);
    } else if ((options[i] == "-I" || options[i] == "--include-path") && i + 1 < options.size()) {
      folders.push_back(options[++i]);
    }
  }
  return folders;
}

bool add_file(HeaderFiles& list, const std::string& path) {
  if (list.files.size() == max_image_files || path.size() > longest_path) {
    list.are_all = false;
    return false;
  }
  const std::optional<FileDigest> digest = file_digest(path);
  std::error_code error;
  if (!digest && fs::is_regular_file(path, error)) list.are_all = false;  // too large, or not to be read
  if (digest) list.bytes += digest->bytes;
  if (list.bytes > max_digested_bytes) list.are_all = false;
  list.files.push_back({path, digest ? digest->sha256 : ""});
  return digest.has_value();
}

HeaderFiles header_files(const HeaderSearch& search) {
  if (search.folders.empty()) return {};
  return Walk(search).run();
}

}  // namespace attune
