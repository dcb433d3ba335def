// The page of a report: one HTML file without a network, whose pictures Vega-Lite draws from the specs that it carries.
// Verdicts and tables are HTML and need no script. Pure; any thread.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune::cli {

// A column of the data of the chart whose axes, colour and filters the reader chooses.
struct ChartField {
  std::string name;   // of the column, such as "c3": without characters that Vega gives a meaning to
  std::string title;  // any text
  bool is_number = true, is_logarithmic = false;
};

// A picture: a Vega-Lite spec. Its data are values of its own, or {"name": NAME OF A DATASET OF THE PAGE}. A spec of
// one view, or of layers, is as wide as the page if it has no "width".
struct Chart {
  std::string id;  // letters, digits and '-'; unlike all others of the page
  std::string title, caption = {};
  nlohmann::ordered_json spec = {};
  // Not empty: the reader chooses x, y, colour and filters among them. The spec has an "encoding" and a dataset of the
  // page.
  std::vector<ChartField> fields = {};
};

struct Section {
  std::string id, heading;
  // Is trusted: all text in it has gone through escaped(). The page's style knows the classes `note` of paragraphs,
  // `number` of cells, and `wide` of what stands around a table that may be wider than the page.
  std::string html;
  std::vector<Chart> charts = {};
};

struct Page {
  std::string title;
  std::vector<Section> sections = {};
  // Arrays of rows, which are objects with values of numbers, texts, truth values and null. A page has each column
  // once.
  std::map<std::string, nlohmann::ordered_json> datasets = {};
};

// Returns a text for HTML, its attributes included. Control characters, and bytes that are not UTF-8, are shown.
std::string escaped(std::string_view text);

// Returns the page as HTML. `bundle` is the JavaScript of Vega, Vega-Lite and Vega-Embed. Without it the page has no
// pictures, and a line says how to get them.
std::string page_html(const Page& page, std::optional<std::string_view> bundle);

}  // namespace attune::cli
