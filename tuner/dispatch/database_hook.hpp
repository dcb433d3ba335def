// The hook by which the reader of wisdom databases registers itself. A program has that reader if it links
// attune::runtime rather than attune::bundle_runtime.
#pragma once

#include <filesystem>
#include <memory>

#include "kernel/record_table.hpp"

namespace attune {

// Makes the table of a database file. `is_immutable`: nobody writes the file, and it is trusted only where nobody but
// this user and root can.
using MakeDatabaseReader = std::unique_ptr<const RecordTable> (*)(const std::filesystem::path& file, bool is_immutable);

// Returns the reader's maker, which is set once, before main(); null in a program without the reader.
MakeDatabaseReader database_reader() noexcept;
void set_database_reader(MakeDatabaseReader make) noexcept;

}  // namespace attune
