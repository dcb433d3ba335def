// The files of the user that a compile on the host opens, besides those that attune writes for it.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"
#include "kernel/header_files.hpp"

namespace attune {

// Returns the prerequisites of a rule for make, as g++ -MD writes it.
std::vector<std::string> prerequisites(std::string_view rule);

// Returns the variables that name folders to g++ and clang, with their values.
std::string folder_variables();

// Returns the folders that the compiler looks in, in order: of the options of a kernel file, of $ATTUNE_HOST_CXXFLAGS,
// of its variables. Not the system's.
std::vector<std::string> named_folders(std::span<const std::string> options, std::span<const std::string> flags);

// Returns what a request may open in the folders, by its texts. So it has the places where the compiler looks in vain.
// Call it before the compile.
HeaderFiles expected_files(const ImageRequest& request, const std::vector<std::string>& folders);

// Adds the files of a rule that are not in `own`, the folder with attune's files, and not the system's.
void add_opened_files(HeaderFiles& list, std::string_view rule, const std::vector<std::string>& folders,
                      const std::filesystem::path& own);

}  // namespace attune
