// The built-in kernels.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "attune_embedded/attune.hpp"
#include "attune_embedded/axpy.hpp"
#include "attune_embedded/copy.hpp"
#include "attune_embedded/fma.hpp"
#include "attune_embedded/launch.hpp"
#include "attune_embedded/read.hpp"
#include "attune_embedded/reduce.hpp"
#include "attune_embedded/transpose.hpp"
#include "core/near_name.hpp"
#include "spec/kernel_file.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

constexpr std::string_view extension = ".cu";

// In alphabetical order. A kernel's file is named after it.
constexpr EmbeddedFile kernels[] = {attune_embedded::axpy, attune_embedded::reduce, attune_embedded::transpose};

// The kernels for calibrating a device, in the order in which they run.
constexpr EmbeddedFile of_calibration[] = {attune_embedded::copy, attune_embedded::read, attune_embedded::fma,
                                           attune_embedded::launch};

std::string_view kernel_name(const EmbeddedFile& file) {
  return file.file_name.substr(0, file.file_name.size() - extension.size());
}

}  // namespace

std::vector<EmbeddedFile> builtin_kernels() { return {std::begin(kernels), std::end(kernels)}; }

std::vector<KernelSpec> calibration_kernels() {
  std::vector<KernelSpec> specs;
  for (const auto& file : of_calibration) specs.push_back(read_kernel_text(file.text, std::string(file.file_name)));
  return specs;
}

std::string_view attune_cuh() { return attune_embedded::attune.text; }

std::string unknown_kernel_text(const std::string& name, const std::vector<std::string>& others) {
  std::vector<std::string> known;
  for (const auto& file : kernels) known.emplace_back(kernel_name(file));
  known.insert(known.end(), others.begin(), others.end());
  return fmt::format("there is no kernel `{}`{} (a kernel file goes by its path, such as my_kernel.cu)",
                     shortened(name), suggestion(name, known));
}

KernelSpec load_kernel(const std::string& name_or_file) {
  if (name_or_file.ends_with(extension) || name_or_file.find('/') != std::string::npos) {
    return read_kernel_file(name_or_file);
  }
  for (const auto& file : kernels)
    if (kernel_name(file) == name_or_file) return read_kernel_text(file.text, std::string(file.file_name));
  std::error_code unknown;
  if (const std::string file = name_or_file + std::string(extension); std::filesystem::exists(file, unknown))
    throw UsageError(
        fmt::format("there is no kernel `{}`; did you mean the file `{}`?", shortened(name_or_file), file));
  throw UsageError(unknown_kernel_text(name_or_file));
}

}  // namespace attune
