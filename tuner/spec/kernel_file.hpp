// Kernel files: `.cu` text with front matter -> KernelSpec. Format: docs/kernel_files.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "attune/embedded_file.hpp"
#include "attune/error.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// The file is no kernel file. what() is "FILE:LINE:COLUMN: message" with the offending text, what was expected and the
// nearest known name; line and column are 1-based.
class SpecError : public Error {
 public:
  SpecError(const std::string& message, std::string in_file, std::size_t at_line, std::size_t at_column)
      : Error(message), file(std::move(in_file)), line(at_line), column(at_column) {}
  std::string file;
  std::size_t line, column;
};

// Reads text. `directory` is where #include "..." of the source is looked up (empty: nothing is). Throws SpecError.
KernelSpec read_kernel_text(std::string_view text, const std::string& file_name,
                            const std::filesystem::path& directory = {});
// Reads a file. Throws SpecError, or Error when the file cannot be read.
KernelSpec read_kernel_file(const std::filesystem::path& file);

// The built-in kernels, in alphabetical order, and attune.cuh.
std::vector<EmbeddedFile> builtin_kernels();
std::string_view attune_cuh();

// The kernels that a device is calibrated with (session/calibration.hpp): copy, read, fma, launch. load_kernel() does
// not know them.
std::vector<KernelSpec> calibration_kernels();

// `name_or_file`: a built-in name, or a path (ends in .cu or holds a '/'). Throws SpecError, or UsageError for an
// unknown name with the nearest one.
KernelSpec load_kernel(const std::string& name_or_file);

// Code, contract and space fingerprints of a spec whose other members are filled.
Fingerprints fingerprints_of(const KernelSpec& spec);

}  // namespace attune
