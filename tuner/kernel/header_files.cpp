#include "kernel/header_files.hpp"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "base/digest.hpp"
#include "base/regular_file.hpp"
#include "core/file_digest.hpp"
#include "core/include_scan.hpp"
#include "kernel/include_option.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

using Includes = std::shared_ptr<const std::vector<Include>>;

constexpr std::size_t longest_path = 4096;
constexpr std::string_view of_compiler = "__nv_";  // the names of NVRTC's own texts begin with it

// Keeps the #include lines of texts by digest, because toolkits have a thousand headers and many kernels include the
// same ones.
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

// Returns null if the file does not have this digest any more.
Includes includes_of_file(const ImageFile& file) {
  static ScannedTexts scanned;
  if (auto known = scanned.find(file.sha256)) return *known;
  const std::string text = read_regular_file(file.path, max_digested_bytes).text;
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

const Header* find_last(const HeaderSearch& search, const std::string& name) {
  const auto found = std::ranges::find(search.last, name, &Header::name);
  return found == search.last.end() ? nullptr : &*found;
}

[[noreturn]] void refuse(const std::string& path, const char* why) { throw RefusedHeader(path + ": error: it " + why); }
constexpr const char* in_current_folder =
    "lies in the current folder, which is none of the kernel's: name its folder with -I";

// Adds a file to the list. Returns whether there is such a file.
bool add_file(HeaderFiles& list, const std::string& path) {
  if (list.files.size() == max_image_files || path.size() > longest_path) {
    list.are_all = false;
    return false;
  }
  const std::optional<FileDigest> digest = file_digest(path);
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (!digest && type == fs::file_type::regular) list.are_all = false;  // too large, or not readable
  if (!digest && fs::exists(fs::file_status(type)) && type != fs::file_type::regular &&
      type != fs::file_type::directory)
    refuse(path, "is no regular file, and a compiler might wait for it: remove it, or rename it");
  if (digest) list.bytes += digest->bytes;
  if (list.bytes > max_digested_bytes) list.are_all = false;
  list.files.push_back({path, digest ? digest->sha256 : ""});
  return digest.has_value();
}

class HeaderWalk {
 public:
  explicit HeaderWalk(const HeaderSearch& search) : search_(search) {}

  HeaderFiles run() {
    for (const std::string& name : search_.before) look_for({name}, {"", "", true});
    for (const EmbeddedHeader& given : search_.given)
      for (const Include& include : find_includes(given.text)) look_for(include, {given.name, given.text, true});
    while (found_.are_all && !queue_.empty()) {
      const ImageFile file = std::move(queue_.front());
      queue_.pop_front();
      const Includes includes = includes_of_file(file);
      if (!includes) continue;  // it is changing, so that its digest will not match later either
      for (const Include& include : *includes) look_for(include, {file.path, "", false});
    }
    // A text that is given would be taken wherever its name is included, also where there is a file.
    std::erase_if(found_.last_used, [&](const std::string& name) { return found_names_.contains(name); });
    return std::move(found_);
  }

 private:
  struct HeaderDirective {  // of a directive
    std::string_view name, text;
    bool is_given = false;
  };

  void look_for(const Include& include, const HeaderDirective& from) {
    if (include.name.empty()) return note_macro(include, from);
    if (is_given(search_, include.name)) return;
    if (finds(include, from))
      found_names_.insert(include.name);
    else if (include.is_read())
      use_last(include.name);
  }

  // Returns whether a file serves the include.
  bool finds(const Include& include, const HeaderDirective& from) {
    if (fs::path(include.name).is_absolute()) return look_at(joined("", include.name));
    if (include.kind == Include::Kind::next) {  // the next folder is not known here: all with such a file count
      bool is_there = false;
      for (const std::string& folder : search_.folders) is_there = look_at(joined(folder, include.name)) || is_there;
      return is_there;
    }
    if (include.quoted && is_beside(include, from)) return true;
    return std::ranges::any_of(search_.folders,
                               [&](const std::string& folder) { return look_at(joined(folder, include.name)); });
  }

  void use_last(const std::string& name) {
    const Header* const header = find_last(search_, name);
    if (header == nullptr || !used_.insert(name).second) return;
    found_.last_used.push_back(name);
    for (const Include& include : find_includes(header->text)) look_for(include, {header->name, header->text, true});
  }

  bool is_beside(const Include& include, const HeaderDirective& from) {
    const std::string path = joined(fs::path(from.name).parent_path(), include.name);
    if (!from.is_given || path.starts_with('/')) return look_at(path);
    std::error_code error;
    if (search_.has_current_folder && fs::exists(path, error) && !fs::is_directory(path, error))
      refuse(include.name, in_current_folder);
    return false;
  }

  // Returns whether the compiler would find the file there.
  bool look_at(const std::string& path) {
    if (const auto place = looked_at_.find(path); place != looked_at_.end()) return place->second;
    const bool is_there = add_file(found_, path);
    looked_at_.emplace(path, is_there);
    if (is_there) queue_.push_back(found_.files.back());
    return is_there;
  }

  void note_macro(const Include& include, const HeaderDirective& from) {
    if (include.is_read()) found_.opens_by_macro = true;
    if (include.is_read() || !found_.warning.empty()) return;
    found_.are_all = false;
    const auto lines = std::count(from.text.begin(), from.text.begin() + (from.is_given ? include.offset : 0), '\n');
    found_.warning = from.name;
    if (from.is_given) found_.warning += "(" + std::to_string(lines + 1) + ")";
    found_.warning +=
        ": warning: a macro names the file of __has_include or #embed, so this image is compiled anew each time: write "
        "the name itself\n";
  }

  const HeaderSearch& search_;
  HeaderFiles found_;
  std::set<std::string> found_names_, used_;  // names of includes: served by files, by last texts
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

HeaderFiles header_files(const HeaderSearch& search) { return HeaderWalk(search).run(); }

void add_opened(HeaderFiles& list, const HeaderSearch& search, const std::string& opened) {
  std::set<std::string> known;
  for (const ImageFile& file : list.files) known.insert(file.path);
  const auto add = [&](const std::string& path) {
    if (known.insert(path).second) add_file(list, path);
  };
  for (std::size_t at = 0, end = 0; at < opened.size(); at = end + 1) {
    end = std::min(opened.find('\n', at), opened.size());
    at = std::min(opened.find_first_not_of(' ', at), end);
    const std::string spelled = opened.substr(at, end - at), path = joined("", spelled);
    if (spelled.starts_with(of_compiler) || is_given(search, spelled) || find_last(search, spelled)) continue;
    bool is_known_place = path.starts_with('/');
    for (const std::string& folder : search.folders) {
      std::string start = joined(folder, ".");
      if (start == ".") start.clear();  // the current folder
      if (!path.starts_with(start)) continue;
      is_known_place = true;
      for (const std::string& before : search.folders) {
        if (&before == &folder) break;
        add(joined(before, path.substr(start.size())));
      }
      break;
    }
    if (!is_known_place) refuse(path, in_current_folder);
    add(path);
  }
}

}  // namespace attune
