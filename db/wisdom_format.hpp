// What marks a wisdom database, and what a reader of any version may count on: for those that write and that read one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "files/sqlite_header.hpp"

namespace attune {

constexpr int wisdom_format = 1;  // user_version, as in schema.sql

// What an application reads in one reading at most: a row, all texts, and the processor's time. A million records have
// room.
constexpr int most_row_bytes = 64 << 10;
constexpr std::uint64_t most_reading_bytes = std::uint64_t{1} << 30;
constexpr double most_reading_seconds = 5;

// Returns the statement that makes the view of applications, as SQLite keeps it.
std::string_view application_view() noexcept;

// Throws Error unless the id is that of a wisdom database.
void require_wisdom(const std::filesystem::path& file, std::int64_t application_id);

}  // namespace attune
