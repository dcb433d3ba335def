#include "device/cuda/toolkit_headers.hpp"

#include <algorithm>
#include <system_error>

#include "base/trusted_environment.hpp"
#include "core/include_scan.hpp"

namespace attune::cuda {

namespace fs = std::filesystem;

std::vector<fs::path> toolkit_include_folders(const fs::path& nvrtc_file) {
  std::vector<fs::path> folders;
  const fs::path library_folder = nvrtc_file.parent_path();
  folders.push_back(library_folder.parent_path() / "include");
  folders.push_back(library_folder.parent_path().parent_path() / "cuda_runtime" /
                    "include");  // pip: nvidia/cuda_nvrtc/lib
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto root = trusted_environment(name)) folders.push_back(fs::path(*root) / "include");
  }
  folders.push_back("/usr/local/cuda/include");
  folders.push_back("/usr/include");
  return folders;
}

[[gnu::cold]] std::vector<fs::path> folders_of_toolkit(const fs::path& folder) {
  const fs::path package = folder.parent_path();
  if (package.filename() != "cuda_runtime") return {folder, folder / "cccl"};
  const fs::path packages = package.parent_path();
  return {folder, packages / "cuda_cccl/include", packages / "cuda_nvcc/include"};
}

std::optional<fs::path> find_toolkit_header(const std::vector<fs::path>& folders, const std::string& header) {
  std::error_code error;
  for (const fs::path& folder : folders) {
    if (fs::is_regular_file(folder / header, error)) return folder;
  }
  return std::nullopt;
}

std::vector<std::string> outside_includes(const SourceText& source) {
  std::vector<std::string> names;
  const auto is_own = [&](const std::string& name) {
    return std::ranges::find(source.headers, name, &Header::name) != source.headers.end();
  };
  const auto add = [&](std::string_view text) {
    for (Include& include : find_includes(text))
      if (!include.name.empty() && include.is_read() && !is_own(include.name) &&
          std::find(names.begin(), names.end(), include.name) == names.end())
        names.push_back(std::move(include.name));
  };
  add(source.text);
  for (const Header& header : source.headers) add(header.text);
  return names;
}

}  // namespace attune::cuda
