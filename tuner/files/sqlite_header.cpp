#include "files/sqlite_header.hpp"

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace attune {

// Source: https://www.sqlite.org/fileformat.html#the_database_header
std::optional<int> sqlite_application_id(const std::filesystem::path& file) {
  constexpr std::string_view magic("SQLite format 3\0", 16);
  constexpr std::size_t place = 68;
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return std::nullopt;  // opening a pipe would wait for a writer
  std::string head(place + sizeof(std::uint32_t), '\0');
  std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (!head.starts_with(magic)) return std::nullopt;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < sizeof id; ++i) id = id << 8 | static_cast<unsigned char>(head[place + i]);
  return static_cast<int>(id);
}

}  // namespace attune
