// The log of misses of applications, read: docs/formats/misses.md.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace attune::cli {

struct Miss {
  std::size_t line = 0;  // of the file, 1-based
  std::string kernel, code, contract, tune_target, problem, device_class, regime, objective;
};

struct MissLog {
  std::vector<Miss> misses;        // each once, in the order of the file
  std::vector<std::string> notes;  // "FILE:7: ...": lines that were left out, and why
};

// Throws Error when the file cannot be read or has more than 64 MiB.
MissLog read_miss_log(const std::filesystem::path& file);

}  // namespace attune::cli
