#include "device/host/opened_files.hpp"

#include <algorithm>

#include "attune_embedded/attune.hpp"
#include "attune_embedded/cuda_bf16.hpp"
#include "attune_embedded/cuda_fp16.hpp"
#include "attune_embedded/cuda_halves.hpp"
#include "device/host/translation_unit.hpp"

namespace attune {

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

HeaderFiles expected_files(const ImageRequest& request, std::vector<std::string> folders) {
  if (folders.empty()) return {};
  const SourceText& source = request.source;
  const std::string unit = translation_unit(source, {}, {}, "", HostVariant::plain);
  HeaderSearch search;
  search.folders = std::move(folders);
  search.given = {{source.name, unit}};
  for (const EmbeddedFile& header :
       {attune_embedded::attune, attune_embedded::cuda_halves, attune_embedded::cuda_fp16, attune_embedded::cuda_bf16})
    search.given.push_back({header.file_name, header.text});
  for (const Header& header : source.headers) search.given.push_back({header.name, header.text});
  return header_files(search);
}

void add_opened_files(HeaderFiles& list, std::string_view rule, const std::filesystem::path& own) {
  for (const std::string& opened : prerequisites(rule)) {
    const std::string path = std::filesystem::path(opened).lexically_normal().string();
    if (!path.starts_with('/') || path.starts_with(own.string() + "/")) continue;
    const bool known =
        std::any_of(list.files.begin(), list.files.end(), [&](const ImageFile& file) { return file.path == path; });
    if (!known) add_file(list, path);
  }
}

}  // namespace attune
