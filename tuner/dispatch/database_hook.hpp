// Where the reader of wisdom databases makes itself known. A program has it if it links attune::runtime rather than
// attune::bundle_runtime.
#pragma once

#include <filesystem>
#include <memory>

#include "kernel/record_table.hpp"

namespace attune {

// Makes the table of a database file.
using MakeDatabaseReader = std::unique_ptr<const RecordTable> (*)(const std::filesystem::path& file);

// Set once, before main(). Returns null in a program without it.
MakeDatabaseReader database_reader() noexcept;
void set_database_reader(MakeDatabaseReader make) noexcept;

}  // namespace attune
