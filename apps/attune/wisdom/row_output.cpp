#include "wisdom/row_output.hpp"

#include <iostream>

#include "attune/error.hpp"
#include "base/visible_text.hpp"
#include "exports/records_csv.hpp"
#include "json_lines.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string cell_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return visible_text(value.get<std::string>());
  if (!value.is_object()) return value.dump();
  std::string text;
  for (const auto& [name, one] : value.items()) text += (text.empty() ? "" : " ") + name + "=" + cell_text(one);
  return text;
}

void print_csv_line(const Json& row, bool is_head) {
  std::string line;
  for (const auto& [name, value] : row.items())
    line += (line.empty() ? "" : ",") + csv_quoted(is_head ? name : cell_text(value));
  const std::string text = line + "\r\n";
  std::cout << text;
}

}  // namespace

void add_form_options(Options& options, const char* json) {
  options.add()("json", json)("csv", "comma-separated values, the first line names them");
}

OutputForm output_form_of(const Options& options) {
  if (options.has("json") && options.has("csv")) throw UsageError("--json and --csv: one of both");
  return options.has("json") ? OutputForm::json : options.has("csv") ? OutputForm::csv : OutputForm::text;
}

void print_rows(OutputForm form, std::string_view type, const std::vector<Json>& rows) {
  if (form == OutputForm::csv && !rows.empty()) print_csv_line(rows.front(), true);
  for (const Json& row : rows) {
    if (form == OutputForm::csv)
      print_csv_line(row, false);
    else
      print_line(type, row);
  }
}

}  // namespace attune::cli
