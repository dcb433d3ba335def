#include "kernel/header_files.hpp"

#include <fmt/format.h>

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

bool is_given(const HeaderSearch& search, const std::string& name) {
  return std::any_of(search.given.begin(), search.given.end(),
                     [&](const EmbeddedHeader& given) { return given.name == name; });
}

// Adds a file to the list. Returns whether there is such a file.
bool add_file(HeaderFiles& list, const std::string& path) {
  if (list.files.size() == max_image_files || path.size() > longest_path) {
    list.are_all = false;
    return false;
  }
  const std::optional<FileDigest> digest = file_digest(path);
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (!digest && type == fs::file_type::regular) list.are_all = false;  // too large, or not to be read
  if (!digest && fs::exists(fs::file_status(type)) && type != fs::file_type::regular &&
      type != fs::file_type::directory)
    list.refusal = path + ": error: it is no regular file, and a compiler might wait for it: remove it, or rename it";
  if (digest) list.bytes += digest->bytes;
  if (list.bytes > max_digested_bytes) list.are_all = false;
  list.files.push_back({path, digest ? digest->sha256 : ""});
  return digest.has_value();
}

std::string in_current_folder(const std::string& name) {
  return fmt::format("{}: error: it lies in the current folder, which is none of the kernel's: name its folder with -I",
                     name);
}

class Walk {
 public:
  explicit Walk(const HeaderSearch& search) : search_(search) {}

  HeaderFiles run() {
    for (const std::string& name : search_.before) look_for({name}, {"", "", true});
    for (const EmbeddedHeader& given : search_.given)
      for (const Include& include : find_includes(given.text)) look_for(include, {given.name, given.text, true});
    while (found_.are_all && !queue_.empty()) {
      const ImageFile file = std::move(queue_.front());
      queue_.pop_front();
      const Includes includes = includes_of_file(file);
      if (!includes) continue;  // it changes just now: its digest will not match either
      for (const Include& include : *includes) look_for(include, {file.path, "", false});
    }
    return std::move(found_);
  }

 private:
  struct Place {  // of a directive
    std::string_view name, text;
    bool is_given = false;
  };

  void look_for(const Include& include, const Place& from) {
    if (include.name.empty()) return note_macro(include, from);
    if (is_given(search_, include.name)) return;
    if (fs::path(include.name).is_absolute()) {
      look_at(joined("", include.name), include);
      return;
    }
    if (include.kind == Include::Kind::next) {  // whose folder is the next is not known here: all that have it count
      for (const std::string& folder : search_.folders) look_at(joined(folder, include.name), include);
      return;
    }
    if (include.quoted && is_beside(include, from)) return;
    for (const std::string& folder : search_.folders)
      if (look_at(joined(folder, include.name), include)) return;
  }

  bool is_beside(const Include& include, const Place& from) {
    const std::string path = joined(fs::path(from.name).parent_path(), include.name);
    if (!from.is_given || path.starts_with('/')) return look_at(path, include);
    std::error_code error;
    if (search_.has_current_folder && fs::exists(path, error)) found_.refusal = in_current_folder(include.name);
    return false;
  }

  // Returns whether the compiler would find the file there.
  bool look_at(const std::string& path, const Include& include) {
    auto place = looked_at_.find(path);
    if (place == looked_at_.end()) {
      const bool is_there = add_file(found_, path);
      place = looked_at_.emplace(path, is_there ? found_.files.back().sha256 : "").first;
    }
    const bool is_there = !place->second.empty();
    if (is_there && include.is_read() && queued_.insert(path).second) queue_.push_back({path, place->second});
    return is_there;
  }

  void note_macro(const Include& include, const Place& from) {
    if (include.is_read()) found_.opens_by_macro = true;
    if (include.is_read() || !found_.asks_by_macro.empty()) return;
    found_.are_all = false;
    const auto lines = std::count(from.text.begin(), from.text.begin() + (from.is_given ? include.offset : 0), '\n');
    found_.asks_by_macro = from.is_given ? fmt::format("{}({})", from.name, lines + 1) : std::string(from.name);
  }

  const HeaderSearch& search_;
  HeaderFiles found_;
  std::deque<ImageFile> queue_;
  std::unordered_map<std::string, std::string> looked_at_;  // with the digest; "": there is none
  std::unordered_set<std::string> queued_;
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

std::vector<std::string> files_before(std::span<const std::string> options) {
  std::vector<std::string> files;
  for (std::size_t i = 0; i < options.size(); ++i)
    for (const std::string_view spelling : {"-include", "--pre-include", "--preinclude"}) {
      const std::string_view option = options[i];
      if (option == spelling && i + 1 < options.size()) files.push_back(options[i + 1]);
      if (option.starts_with(spelling) && option.substr(spelling.size()).starts_with('='))
        files.emplace_back(option.substr(spelling.size() + 1));
    }
  return files;
}

std::string HeaderFiles::warning() const {
  if (asks_by_macro.empty()) return "";
  return asks_by_macro +
         ": warning: a macro names the file of __has_include or #embed, so this image is compiled anew each time: "
         "write the name itself\n";
}

HeaderFiles header_files(const HeaderSearch& search) { return Walk(search).run(); }

void add_opened(HeaderFiles& list, const HeaderSearch& search, const std::vector<std::string>& opened) {
  std::unordered_set<std::string> known;
  for (const ImageFile& file : list.files) known.insert(file.path);
  const auto add = [&](const std::string& path) {
    if (known.insert(path).second) add_file(list, path);
  };
  for (const std::string& spelled : opened) {
    if (is_given(search, spelled)) continue;
    const std::string path = joined("", spelled);
    bool has_folder = false;
    for (std::size_t i = 0; i < search.folders.size() && !has_folder; ++i) {
      const std::string name = fs::path(path).lexically_relative(joined(search.folders[i], "")).string();
      has_folder = !name.empty() && !name.starts_with("..");
      for (std::size_t before = 0; has_folder && before < i; ++before) add(joined(search.folders[before], name));
    }
    if (!has_folder && !path.starts_with('/'))
      list.refusal = in_current_folder(path);
    else
      add(path);
  }
}

}  // namespace attune
