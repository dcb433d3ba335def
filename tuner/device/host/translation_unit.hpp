// The C++ text that the host device compiles for a kernel file: the parts of CUDA's language, the source, and an entry
// for each expression. Pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"

namespace attune {

// The kinds of build of a source.
enum class HostVariant { plain, sanitized };

// Returns the source with its shared memory rewritten to variables of the OS thread that runs a block.
std::string rewrite_for_host(std::string_view source, HostVariant variant);

// Returns the name of the function that calls entry `index`.
std::string entry_symbol(std::size_t index);

// Returns each expression once, with the index of its entry.
std::map<std::string, std::size_t> number_expressions(std::span<const ImageRequest* const> requests);

// Returns the whole text of a source, which has its macros already. `options` are a kernel file's options for NVRTC;
// `checks` is text to append to the source.
std::string translation_unit(const SourceText& source, const std::vector<std::string>& options,
                             const std::map<std::string, std::size_t>& entries, const std::string& checks,
                             HostVariant variant);

}  // namespace attune
