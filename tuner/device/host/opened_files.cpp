#include "device/host/opened_files.hpp"

#include <algorithm>
#include <sstream>

#include "base/trusted_environment.hpp"
#include "device/host/headers_beside.hpp"
#include "device/host/translation_unit.hpp"

namespace attune {
namespace {

constexpr const char* folder_names[] = {"CPATH", "CPLUS_INCLUDE_PATH"};
// Headers in these folders belong to the compiler's version.
constexpr std::string_view system_folders[] = {"/usr/include",       "/usr/lib",       "/usr/lib64",
                                               "/usr/local/include", "/usr/local/lib", "/usr/local/lib64"};

}  // namespace

std::vector<std::string> prerequisites(std::string_view rule) {
  std::vector<std::string> files;
  const std::size_t colon = rule.find(": ");
  std::string file;
  const auto end_file = [&] {
    if (!file.empty()) files.push_back(std::move(file));
    file.clear();
  };
  for (std::size_t i = colon == std::string_view::npos ? rule.size() : colon + 1; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#' || next == '\n')) {
      if (next == '\n') end_file();
      if (next != '\n') file += next;
      ++i;
    } else if (c == '$' && next == '$') {
      file += c;
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\r') {
      end_file();
      if (c == '\n') break;  // another rule
    } else {
      file += c;
    }
  }
  end_file();
  return files;
}

std::string folder_variables() {
  std::string text;
  for (const char* const name : folder_names)
    if (const auto value = trusted_environment(name)) text += std::string(name) + "=" + *value + " ";
  return text;
}

std::vector<std::string> named_folders(std::span<const std::string> options, std::span<const std::string> flags) {
  std::vector<std::string> folders = include_folders(options);
  for (std::string& folder : include_folders(flags)) folders.push_back(std::move(folder));
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const std::string_view spelling : {"-iquote", "-isystem", "-idirafter"}) {
      if (flags[i] == spelling && i + 1 < flags.size())
        folders.push_back(flags[i + 1]);
      else if (flags[i].starts_with(spelling))
        folders.push_back(flags[i].substr(spelling.size()));
    }
  for (const char* const name : folder_names) {
    std::istringstream list(trusted_environment(name).value_or(""));
    for (std::string folder; std::getline(list, folder, ':');)
      if (folder.starts_with('/')) folders.push_back(folder);
  }
  return folders;
}

HeaderFiles expected_files(const ImageRequest& request, const std::vector<std::string>& folders) {
  const SourceText& source = request.source;
  const std::string unit = translation_unit(source, {}, {}, "", HostVariant::plain);
  HeaderSearch search;
  search.folders = folders;
  search.given = {{source.name, unit}};
  for (const EmbeddedHeader& header : headers_beside()) search.given.push_back(header);
  for (const Header& header : source.headers) search.given.push_back({header.name, header.text});
  return header_files(search);
}

void add_opened_files(HeaderFiles& list, std::string_view rule, const std::vector<std::string>& folders,
                      const std::filesystem::path& own) {
  const auto is_in = [](const std::string& path, std::string_view folder) {
    return path.starts_with(folder) && path.find('/', folder.size()) == folder.size();
  };
  std::string opened;
  for (const std::string& name : prerequisites(rule)) {
    const std::string path = std::filesystem::path(name).lexically_normal().string();
    if (!path.starts_with('/') || is_in(path, own.string())) continue;
    const auto has_it = [&](std::string_view folder) { return is_in(path, folder); };
    const bool is_named = std::any_of(folders.begin(), folders.end(), has_it);
    if (is_named || std::none_of(std::begin(system_folders), std::end(system_folders), has_it)) opened += path + "\n";
  }
  HeaderSearch search;
  search.folders = folders;
  add_opened(list, search, opened);
}

}  // namespace attune
