// Why files are not trusted as code, or as what decides which code runs.
#pragma once

#include <sys/stat.h>

#include <string>

namespace attune {

// Returns why an open file or directory is not trusted: "belongs to user 7, not to user 8", "can be written by others
// ..."; "": it is. Root may replace anything, so that files of root are trusted as well.
std::string mistrust(const struct stat& status);

}  // namespace attune
