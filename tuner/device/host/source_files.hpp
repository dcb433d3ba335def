// The files that a compile on the host reads: the translation unit, attune's own headers, the kernel's.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>

#include "core/image.hpp"
#include "device/host/translation_unit.hpp"

namespace attune {

// Where the texts of a compile lie in its folder. Deep, so that headers named "../x.cuh" stay inside the folder.
inline constexpr const char* source_place = "1/2/3/4/5/6/7/8";     // for names in quotes
inline constexpr const char* after_place = "after/2/3/4/5/6/7/8";  // for names in <...>, behind the system's
inline constexpr const char* own_place = "own";                    // attune's own headers

// Writes the files into a folder of the compile's own; the unit is "kernel.cpp" in source_place. Throws Error when a
// file cannot be written, and for a header whose name leads out of the folder.
void write_sources(const std::filesystem::path& folder, const ImageRequest& request,
                   const std::map<std::string, std::size_t>& entries, const std::string& checks, HostVariant variant);

}  // namespace attune
