#include "db/reader/format_4.hpp"

#include <fmt/format.h>

#include "core/digest.hpp"
#include "db/fields.hpp"

namespace attune {
namespace {

// Returns a field as the text that the hash covers (docs/formats/wisdom.md). Bindings are stored as that text.
template <typename T>
std::string raw_text(const ReadStatement& row, int column, const T&) {
  if constexpr (std::is_same_v<T, double>) return fmt::format("{}", row.real(column));
  if constexpr (std::is_same_v<T, std::uint64_t>)
    return fmt::format("{}", static_cast<std::uint64_t>(row.integer(column)));
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) return fmt::format("{}", row.integer(column));
  return std::string(row.text(column));
}

}  // namespace

// Of [name, kind, value] the value alone is left when the first element is removed twice: a number keeps its digits.
const char* const records_of_format_4 = R"sql((
  SELECT record.id, record.current, record.uuid, kernel.name AS kernel, kernel.code, kernel.contract,
         device.class_key AS device_class, record.device_name, record.compute_capability, record.multiprocessors,
         problem.text AS problem, record.regime, record.objective,
         (SELECT coalesce(group_concat(name || '=' || CASE kind WHEN 'name' THEN plain
                                       ELSE trim(substr(item, 2, length(item) - 2), '"') END, ' '), '')
          FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS kind,
                       json_extract(value, '$[2]') AS plain, json_remove(value, '$[0]', '$[0]') AS item
                FROM json_each(record.configuration) ORDER BY key)) AS configuration,
         record.median_ns, record.default_ns, record.speedup, record.effort, record.partial, record.unstable,
         record.trials, record.toolchain, record.driver, record.attune_version, record.protocol, record.made_ms,
         '' AS hash
  FROM record
  JOIN kernel ON kernel.id = record.kernel_id
  JOIN device ON device.id = record.device_id
  JOIN problem ON problem.id = record.problem_id))sql";

bool is_sound_of_format_4(ReadConnection& connection, std::int64_t id) {
  ReadStatement row(connection, "SELECT * FROM record_view WHERE id = :id");
  row.bind(":id", id);
  if (!row.next()) return false;
  Record shape;
  shape.protocol = static_cast<int>(row.integer(row.column("protocol")));
  Digest digest;
  const auto add = [&](const char* column, const auto& member) {
    digest.add(std::string_view(raw_text(row, row.column(column), member)));
  };
  key_fields(add, shape.key);
  known_fields(add, shape);
  return row.text(row.column("row_hash")) == digest.hex();
}

}  // namespace attune
