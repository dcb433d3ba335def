// Kernel files: `.cu` text with front matter -> KernelSpec. Format: docs/kernel_files.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/error.hpp"
#include "attune/kernel_spec.hpp"
#include "base/embedded_file.hpp"

namespace attune {

// The file is not a kernel file. what() is "FILE:LINE:COLUMN: message"; line and column count from 1. The message has
// the offending text, the expected text and the nearest known name.
class SpecError : public Error {
 public:
  SpecError(const std::string& message, std::string in_file, std::size_t at_line, std::size_t at_column)
      : Error(message), file(std::move(in_file)), line(at_line), column(at_column) {}
  std::string file;
  std::size_t line, column;
};

// Reads the text of a kernel file. #include "..." may name only built-in headers. Throws SpecError.
KernelSpec read_kernel_text(std::string_view text, const std::string& file_name);
// Reads a file that is embedded in the program. #include "..." may name its embedded headers and the built-in ones.
// Throws SpecError.
KernelSpec read_embedded_kernel(const EmbeddedFile& file);
// Reads a file. Appends to `files`, if given, the files that were read and those that compiling opens through -I
// options. Throws SpecError, or Error when the file cannot be read.
KernelSpec read_kernel_file(const std::filesystem::path& file, std::vector<std::filesystem::path>* files = nullptr);

// Return the built-in kernels in alphabetical order, attune.cuh, and the other headers that any kernel may include.
std::vector<EmbeddedFile> builtin_kernels();
std::string_view attune_cuh();
std::span<const EmbeddedHeader> builtin_headers();

// Returns the kernels for calibrating a device (session/calibration.hpp): copy, read, fma, launch. load_kernel() does
// not find them.
std::vector<KernelSpec> calibration_kernels();

// Returns the message about a name that no kernel has. It suggests the nearest name among the built-in kernels and
// `others`.
std::string unknown_kernel_text(const std::string& name, const std::vector<std::string>& others = {});

// Loads a built-in kernel by name, or a file by its path (ends in .cu or holds a '/'). Throws SpecError, and UsageError
// for an unknown name, which suggests the nearest one. `files`: as for read_kernel_file().
KernelSpec load_kernel(const std::string& name_or_file, std::vector<std::filesystem::path>* files = nullptr);

// Returns the code, contract and space fingerprints of a spec whose other members are filled in.
Fingerprints fingerprints_of(const KernelSpec& spec);

}  // namespace attune
