// Finds which files of the user a compile on the host opens, besides the files that attune writes for the compile.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"
#include "kernel/header_files.hpp"

namespace attune {

// Returns the prerequisites of a rule for make, such as g++ -MD writes.
std::vector<std::string> prerequisites(std::string_view rule);

// Returns the environment variables that name include folders to g++ and clang, with their values.
std::string folder_variables();

// Returns the folders in which the compiler looks, in order: those of a kernel file's options, of
// $ATTUNE_HOST_CXXFLAGS, and of the compiler's environment variables. The system's folders are not among them.
std::vector<std::string> named_folders(std::span<const std::string> options, std::span<const std::string> flags);

// Returns the files that a request may open in the folders, going by the request's texts. So the list has the places
// where the compiler looks in vain. Call it before the compile.
HeaderFiles expected_files(const ImageRequest& request, const std::vector<std::string>& folders);

// Adds the files of a rule to the list, except those in `own`, the folder with attune's files, and the system's.
void add_opened_files(HeaderFiles& list, std::string_view rule, const std::vector<std::string>& folders,
                      const std::filesystem::path& own);

}  // namespace attune
