#include "exports/records_csv.hpp"

#include <fmt/format.h>

#include <string_view>

#include "exports/provenance.hpp"

namespace attune {
namespace {

struct Column {
  std::string_view name;
  std::string (*text)(const Record& record);
};

// The shortest text that reads back equal.
std::string number(double value) { return fmt::format("{}", value); }
template <auto Member>
std::string real(const Record& record) {
  return number(record.*Member);
}
template <auto Member>
std::string whole(const Record& record) {
  return fmt::format("{}", record.*Member);
}
template <auto Member>
std::string text(const Record& record) {
  return record.*Member;
}

// New columns come last: readers may count on the present ones.
constexpr Column columns[] = {
    {"uuid", text<&Record::uuid>},
    {"kernel", [](const Record& record) { return record.key.kernel; }},
    {"code", [](const Record& record) { return record.key.code; }},
    {"contract", [](const Record& record) { return record.key.contract; }},
    {"space", text<&Record::space>},
    {"device_class", [](const Record& record) { return record.key.device_class; }},
    {"device", text<&Record::device_name>},
    {"compute_capability", whole<&Record::compute_capability>},
    {"multiprocessors", whole<&Record::multiprocessors>},
    {"driver", text<&Record::driver>},
    {"problem", [](const Record& record) { return record.key.problem.text(); }},
    {"regime", [](const Record& record) { return record.key.regime; }},
    {"objective", [](const Record& record) { return record.key.objective; }},
    {"configuration", [](const Record& record) { return record.configuration.text(); }},
    {"median_ns", real<&Record::median_ns>},
    {"default_ns", real<&Record::default_ns>},
    {"speedup", real<&Record::speedup>},
    {"speedup_low", real<&Record::speedup_low>},
    {"speedup_high", real<&Record::speedup_high>},
    {"effort", [](const Record& record) { return std::string(to_text(record.effort)); }},
    {"partial", whole<&Record::partial>},
    {"unstable", whole<&Record::unstable>},
    {"self_checked", whole<&Record::self_checked>},
    {"trials", whole<&Record::trials>},
    {"seed", whole<&Record::seed>},
    {"protocol", whole<&Record::protocol>},
    {"toolchain", text<&Record::toolchain>},
    {"attune_version", text<&Record::attune_version>},
    {"made", [](const Record& record) { return utc_date(record.made_ms); }},
};

std::string quoted(const std::string& field) {
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string records_to_csv(const std::vector<Record>& records) {
  std::string lines;
  const auto add_line = [&](const auto& field_of) {
    std::string line;
    for (const Column& column : columns) line += (&column == columns ? "" : ",") + quoted(field_of(column));
    lines += line + "\r\n";
  };
  add_line([](const Column& column) { return std::string(column.name); });
  for (const Record& record : records) add_line([&](const Column& column) { return column.text(record); });
  return lines;
}

}  // namespace attune
