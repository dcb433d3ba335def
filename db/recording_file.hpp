// Files of measured configurations, of attune and of other tuners, read into Recordings. What is read of each format,
// and the rules for odd rows: docs/formats/recordings.md. Pure but for reading the file; any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "space/recording.hpp"

namespace attune {

// Kernel Tuner cache files (those of unfinished runs too), T4 results, and wisdom databases of attune; the first two
// plain or compressed (.xz, .gz). The format is recognised by content. At least one recording, each with at least one
// trial. Throws UsageError naming the file, the entry and what was expected; Error when the memory does not suffice.
std::vector<Recording> load_recordings(const std::filesystem::path& file);

// The same of decompressed text; `source` is the file it came from: messages begin with it, and the device is named by
// it where the text names none.
std::vector<Recording> read_recordings(std::string text, const std::filesystem::path& source);

}  // namespace attune
