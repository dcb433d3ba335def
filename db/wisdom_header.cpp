#include "db/wisdom_header.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

#include "db/wisdom_format.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

// The database and SQLite's files beside it: a file of such a name counts as part of the database.
constexpr const char* companion_suffixes[] = {"", "-journal", "-wal", "-shm"};

bool is_wisdom(const fs::path& file) {
  const std::optional<int> id = sqlite_application_id(file);
  return id == wisdom_application_id || id == unreleased_application_id;
}

fs::path resolved(const fs::path& file) {
  std::error_code failed;
  const fs::path path = fs::weakly_canonical(file, failed);
  return failed ? file : path;
}

// Returns whether both are one file, or one place where there is no file yet.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code absent;
  return fs::equivalent(a, b, absent) || resolved(a) == resolved(b);
}

}  // namespace

// Source: https://www.sqlite.org/fileformat.html#the_database_header
std::optional<int> sqlite_application_id(const fs::path& file) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  constexpr std::size_t place = 68;
  std::error_code unknown;
  if (!fs::is_regular_file(file, unknown)) return std::nullopt;  // opening a pipe would wait for a writer
  std::string head(place + sizeof(std::uint32_t), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!head.starts_with(magic)) return std::nullopt;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < sizeof id; ++i) id = id << 8 | static_cast<unsigned char>(head[place + i]);
  return static_cast<int>(id);
}

std::optional<fs::path> wisdom_destroyed_by(const fs::path& target, const fs::path& in_use) {
  const std::string wanted = resolved(target).string(), used = resolved(in_use).string();
  for (const std::string suffix : companion_suffixes) {
    if (is_same(wanted, used + suffix)) return in_use;
    if (!wanted.ends_with(suffix)) continue;
    const fs::path database = wanted.substr(0, wanted.size() - suffix.size());
    if (is_same(database, used)) return in_use;
    if (is_wisdom(database)) return database;
  }
  return std::nullopt;
}

}  // namespace attune
