// What marks a wisdom database, and what a reader of any version may count on. Both the store and the reader use it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "files/sqlite_header.hpp"

namespace attune {

constexpr int wisdom_format = 1;  // user_version, as in schema.sql

// The limits of one reading of an application: on a row, on the rows of one problem, on all texts, and on processor
// time. A million records fit.
constexpr int most_row_bytes = 64 << 10;
constexpr int most_rows_of_problem = 16 << 10;
constexpr std::uint64_t most_reading_bytes = std::uint64_t{1} << 30;
constexpr double most_reading_seconds = 5;

// Returns the statement that makes the view for applications, in the text that SQLite keeps.
std::string_view application_view() noexcept;

// Throws Error unless `application_id` is that of a wisdom database.
void require_wisdom(const std::filesystem::path& file, std::int64_t application_id);

}  // namespace attune
