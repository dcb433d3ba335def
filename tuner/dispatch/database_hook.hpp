// Where the reader of wisdom databases makes itself known. A program has it if it links attune::runtime rather than
// attune::bundle_runtime.
#pragma once

#include <filesystem>
#include <memory>

#include "kernel/wisdom_source.hpp"

namespace attune {

// Makes a source that waits up to `seconds` for each lock.
using MakeDatabaseReader = std::unique_ptr<const WisdomSource> (*)(const std::filesystem::path& file, double seconds);

// Set once, before main(). Returns null in a program without it.
MakeDatabaseReader database_reader() noexcept;
void set_database_reader(MakeDatabaseReader make) noexcept;

}  // namespace attune
