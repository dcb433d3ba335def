// Reads files of measured configurations, of attune and of other tuners, into Recordings. What is read of each format,
// and the rules for odd rows: docs/formats/recordings.md. Pure except for reading the file; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "space/recording.hpp"

namespace attune {

// Reads Kernel Tuner cache files (also of unfinished runs), T4 results, and wisdom databases of attune. The first two
// may be compressed (.xz, .gz). The content decides the format. Returns at least one recording, each with at least one
// trial. Throws UsageError naming the file, the entry and what was expected. Throws Error when the memory does not
// suffice.
std::vector<Recording> load_recordings(const std::filesystem::path& file);

// Reads the decompressed text of the file `source`. Messages begin with `source`. The file's name names the device if
// the text names none.
std::vector<Recording> read_recordings(std::string text, const std::filesystem::path& source);

}  // namespace attune
