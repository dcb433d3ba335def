#include "spec/includes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/regular_file.hpp"
#include "core/include_scan.hpp"
#include "core/source_lexer.hpp"
#include "spec/front_matter.hpp"
#include "spec/kernel_file.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_header = "attune.cuh";
// Every compile request carries the headers. A larger file is not a header of a kernel.
constexpr std::uintmax_t max_header_bytes = std::uintmax_t{4} << 20;
constexpr std::size_t max_headers = 64;
// A folder with these is a toolkit's, whose headers are the compiler's own business, as those of #include <...> are.
constexpr std::string_view headers_of_toolkit[] = {"cuda_runtime.h", "crt/host_config.h"};

class HeaderReader {
 public:
  explicit HeaderReader(const HeaderPlaces& places) : places_(places) {}
  std::vector<Header> take() { return std::move(headers_); }
  const std::set<fs::path>& files() const noexcept { return visited_; }

  // `file` and `text` are for the positions in messages.
  void read_all(std::string_view text, const std::string& file, const fs::path& directory) {
    for (const auto& include : find_includes(text)) {
      const bool is_wanted = include.kind == Include::Kind::opens || include.kind == Include::Kind::asks;
      if (!include.quoted || include.name == own_header || !is_wanted) continue;
      const auto failed = [&](const std::string& why) {
        return spec_error(file, position_at(text, include.offset),
                          fmt::format("#include \"{}\": {}", shortened(include.name), why));
      };
      if (const std::optional<std::string_view> known = inside_the_program(include.name)) {
        if (add(include.name, std::string(*known), failed)) read_all(*known, include.name, directory);
      } else if (const std::optional<fs::path> path = place_of(include.name, directory)) {
        read_one(include.name, *path, failed);
      }
    }
  }

 private:
  std::optional<std::string_view> inside_the_program(const std::string& name) const {
    for (const std::span<const EmbeddedHeader> headers : {builtin_headers(), places_.embedded})
      for (const EmbeddedHeader& header : headers)
        if (header.name == name) return header.text;
    return std::nullopt;
  }
  // A pipe is one too: reading it fails, with its name.
  static bool is_file(const fs::path& path) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    return fs::exists(status) && !fs::is_directory(status);
  }
  // Returns the first file of this name, or nothing: the compiler then looks for it as for #include <name>, and judges.
  std::optional<fs::path> place_of(const std::string& name, const fs::path& directory) const {
    if (!directory.empty() && is_file(directory / name)) return directory / name;
    for (const fs::path& folder : places_.folders)
      if (!is_of_toolkit(folder) && is_file(folder / name)) return folder / name;
    return std::nullopt;
  }
  static bool is_of_toolkit(const fs::path& folder) {
    return std::ranges::all_of(headers_of_toolkit, [&](std::string_view name) { return is_file(folder / name); });
  }
  template <typename Failed>
  void read_one(const std::string& name, const fs::path& path, const Failed& failed) {
    if (names_header_of_attune(name))
      throw failed("names that begin with `attune` are those of attune's own headers: rename it");
    const FileText read = read_regular_file(path, max_header_bytes);
    if (!read.why.empty()) throw failed(fmt::format("{}: {}", shortened(path.string()), read.why));
    const std::string text = read.text.substr(read.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0);
    add(name, text, failed);
    // The same text in another folder may include other files, so that each path is read once, not each name.
    if (visited_.insert(path.lexically_normal()).second) read_all(text, path.string(), path.parent_path());
  }

  // Returns whether the name is new.
  template <typename Failed>
  bool add(const std::string& name, const std::string& text, const Failed& failed) {
    if (text.find('\0') != std::string::npos || invalid_utf8(text)) throw failed("it is not UTF-8 text");
    const auto known = std::find_if(headers_.begin(), headers_.end(), [&](const Header& h) { return h.name == name; });
    if (known != headers_.end() && known->text != text) {
      throw failed(
          "two different files are included by this name, and the compiler finds headers by name alone: rename one");
    }
    if (known != headers_.end()) return false;
    if (headers_.size() == max_headers) throw failed(fmt::format("more than {} headers", max_headers));
    headers_.push_back({name, text});
    return true;
  }

  const HeaderPlaces& places_;
  std::vector<Header> headers_;
  std::set<fs::path> visited_;
};

}  // namespace

std::vector<Header> read_headers(std::string_view code, const std::string& file, const HeaderPlaces& places,
                                 std::vector<fs::path>* files) {
  HeaderReader reader(places);
  reader.read_all(code, file, places.directory);
  if (files != nullptr) files->insert(files->end(), reader.files().begin(), reader.files().end());
  return reader.take();
}

IncludedFile read_included(const std::string& name, const HeaderPlaces& places, std::vector<fs::path>* files) {
  for (const EmbeddedHeader& file : places.embedded)
    if (file.name == name) return {name, std::string(file.text)};
  if (places.directory.empty()) throw Error("the kernel is a text without a folder; write the content into it");
  const fs::path path = (places.directory / name).lexically_normal();
  const FileText read = read_regular_file(path, max_header_bytes);
  if (!read.why.empty())
    throw Error(fmt::format("{}: {}; put the file there, or correct its name", shortened(path.string()), read.why));
  if (files != nullptr) files->push_back(path);
  return {path.string(), read.text.substr(read.text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0)};
}

bool includes_attune(const SourceText& source) {
  const auto reaches = [](std::string_view text) {
    const auto includes = find_includes(text);
    return std::any_of(includes.begin(), includes.end(), [](const Include& i) { return i.name == own_header; });
  };
  return reaches(source.text) || std::any_of(source.headers.begin(), source.headers.end(),
                                             [&](const Header& header) { return reaches(header.text); });
}

}  // namespace attune
