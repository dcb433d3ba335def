// The built-in kernels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "attune_embedded/builtin_files.hpp"
#include "base/near_name.hpp"
#include "spec/kernel_file.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

constexpr std::string_view extension = ".cu";

std::string_view kernel_name(const EmbeddedFile& file) {
  return file.file_name.substr(0, file.file_name.size() - extension.size());
}

}  // namespace

std::vector<EmbeddedFile> builtin_kernels() {
  return {std::begin(builtin_kernel_files), std::end(builtin_kernel_files)};
}

std::vector<KernelSpec> calibration_kernels() {
  std::vector<KernelSpec> specs;
  for (const auto& file : calibration_kernel_files) specs.push_back(read_embedded_kernel(file));
  return specs;
}

std::string_view attune_cuh() { return builtin_header_files[0].text; }

std::span<const EmbeddedHeader> builtin_headers() { return std::span(builtin_header_files).subspan(1); }

std::string unknown_kernel_text(const std::string& name, const std::vector<std::string>& others) {
  std::vector<std::string> known;
  for (const auto& file : builtin_kernel_files) known.emplace_back(kernel_name(file));
  std::ranges::copy_if(others, std::back_inserter(known),
                       [&](const std::string& other) { return std::ranges::find(known, other) == known.end(); });
  return fmt::format("there is no kernel `{}`{} (a kernel file goes by its path, such as my_kernel.cu)",
                     shortened(name), suggestion(name, known));
}

KernelSpec load_kernel(const std::string& name_or_file, std::vector<std::filesystem::path>* files) {
  if (name_or_file.ends_with(extension) || name_or_file.find('/') != std::string::npos) {
    return read_kernel_file(name_or_file, files);
  }
  for (const auto& file : builtin_kernel_files)
    if (kernel_name(file) == name_or_file) return read_embedded_kernel(file);
  std::error_code unknown;
  if (const std::string file = name_or_file + std::string(extension); std::filesystem::exists(file, unknown))
    throw UsageError(
        fmt::format("there is no kernel `{}`; did you mean the file `{}`?", shortened(name_or_file), file));
  throw UsageError(unknown_kernel_text(name_or_file));
}

}  // namespace attune
