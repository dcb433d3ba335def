#include "imports/csv_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/utf8.hpp"

namespace attune {
namespace {

constexpr std::size_t most_field_bytes = 64 << 10, most_columns = 4096, most_rows = 1'000'000;

class CsvParser {
 public:
  explicit CsvParser(std::string_view text) : rest_(text) {}

  std::vector<std::vector<std::string>> rows() {
    std::vector<std::vector<std::string>> rows;
    while (!rest_.empty()) {
      if (take_line_end()) continue;
      const std::size_t line = line_;
      rows.push_back(row());
      if (rows.back().size() != rows.front().size())
        throw UsageError(
            fmt::format("line {} has {} fields, and the first one {}", line, rows.back().size(), rows.front().size()));
      if (rows.size() > most_rows + 1) throw UsageError(fmt::format("it has more than {} rows", most_rows));
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(std::string_view what) const { throw UsageError(fmt::format("line {}: {}", line_, what)); }

  bool take_line_end() {
    const std::size_t length = rest_.starts_with("\r\n") ? 2 : rest_.starts_with('\n') ? 1 : 0;
    rest_.remove_prefix(length);
    line_ += length > 0;
    return length > 0;
  }

  std::vector<std::string> row() {
    std::vector<std::string> fields;
    for (;;) {
      fields.push_back(rest_.starts_with('"') ? quoted() : plain());
      if (fields.size() > most_columns) fail(fmt::format("more than {} fields", most_columns));
      if (rest_.empty() || take_line_end()) return fields;
      if (rest_.front() != ',') fail("expected a comma or the end of the line behind a quote");
      rest_.remove_prefix(1);
    }
  }

  void take_character(std::string& field) {
    const std::size_t length = utf8_length(rest_);
    if (length == 0 || rest_.front() == '\0') fail("it is not UTF-8 text");
    if (field.size() + length > most_field_bytes) fail(fmt::format("a field of more than {} bytes", most_field_bytes));
    line_ += rest_.front() == '\n';
    field.append(rest_, 0, length);
    rest_.remove_prefix(length);
  }

  std::string plain() {
    std::string field;
    while (!rest_.empty() && rest_.front() != ',' && rest_.front() != '\n' && !rest_.starts_with("\r\n"))
      take_character(field);
    return field;
  }

  std::string quoted() {
    std::string field;
    rest_.remove_prefix(1);
    for (;;) {
      if (rest_.empty()) fail("a quote is not closed");
      if (rest_.front() == '"') {
        rest_.remove_prefix(1);
        if (!rest_.starts_with('"')) return field;
      }
      take_character(field);
    }
  }

  std::string_view rest_;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<std::vector<std::string>> csv_rows(std::string_view text) {
  std::vector<std::vector<std::string>> rows = CsvParser(text).rows();
  if (rows.empty()) throw UsageError("it is empty; expected a line with the names of the columns");
  std::vector<std::string> names = rows.front();
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    throw UsageError(fmt::format("two columns are called `{}`", *twice));
  return rows;
}

}  // namespace attune
