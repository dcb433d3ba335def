// Reads kernel files at run time, for applications that link attune::kernel_files. That library parses TOML, and builds
// search spaces to find fall-back configurations. An embedded kernel (attune_embed) needs neither.
#pragma once

#include <filesystem>

#include "attune/bundle.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Reads a kernel file and its headers: gpu.add(attune::kernel_file("my_kernel.cu")). Takes milliseconds. Throws Error
// with file, line and column when it is not a kernel file. Any thread.
Bundle kernel_file(const std::filesystem::path& file);
// Makes a bundle of a spec that was built in C++ (complete()). `tune_target`: the kernel as `attune tune` names it. Any
// thread.
Bundle kernel_bundle(const KernelSpec& spec, std::string_view tune_target);

}  // namespace attune
