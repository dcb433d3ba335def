// The files of the user that a compile on the host opens, besides those that attune writes for it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/image.hpp"
#include "kernel/header_files.hpp"

namespace attune {

// Returns the prerequisites of a rule for make, as g++ -MMD writes it.
std::vector<std::string> prerequisites(std::string_view rule);

// Returns what the #include lines of a request may open in the folders, those of its -I options among them. So it has
// the places where the compiler looks in vain. Call it before the compile.
HeaderFiles expected_files(const ImageRequest& request, std::vector<std::string> folders);

// Adds the files of a rule that are not in `own`, the folder with attune's files.
void add_opened_files(HeaderFiles& list, std::string_view rule, const std::filesystem::path& own);

}  // namespace attune
