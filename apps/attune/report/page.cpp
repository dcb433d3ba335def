#include "page.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "attune_embedded/report_notices.hpp"
#include "attune_embedded/report_script.hpp"
#include "attune_embedded/report_style.hpp"
#include "base/digest.hpp"
#include "base/visible_text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = i; k < i + 3; ++k)
      three = three << 8 | (k < bytes.size() ? std::to_integer<unsigned>(bytes[k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) text += i + k > bytes.size() ? '=' : digits[three >> (18 - 6 * k) & 63];
  }
  return text;
}

// Returns what a content security policy calls a script or style by.
std::string source_of(std::string_view text) {
  return fmt::format("'sha256-{}'", base64(sha256_bytes(std::as_bytes(std::span(text)))));
}

// Returns JSON that may stand in a <script> element: it is ASCII, and nothing in it ends the element.
std::string json_text(const Json& json) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace), safe;
  safe.reserve(text.size());
  for (const char c : text)
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  return safe;
}

// Returns the values of a column; where it has texts: {"of": its distinct values, "at": which of them, by row}.
Json column_of(const Json& rows, const std::string& name) {
  Json values = Json::array(), distinct = Json::array(), places = Json::array();
  std::map<Json, std::size_t> known;
  bool has_texts = false;
  for (const Json& row : rows) {
    const auto found = row.find(name);
    const Json& value = values.emplace_back(found == row.end() ? Json() : *found);
    has_texts = has_texts || value.is_string();
    const auto [place, is_new] = known.try_emplace(value, known.size());
    if (is_new) distinct.push_back(value);
    places.push_back(place->second);
  }
  if (!has_texts) return values;
  return {{"of", std::move(distinct)}, {"at", std::move(places)}};
}

// Returns the rows by column, since names and texts of thousands of rows would take more room than all else.
Json columns_of(const Json& rows) {
  Json columns = Json::object();
  for (const Json& row : rows)
    for (const auto& [name, value] : row.items())
      if (!columns.contains(name)) columns[name] = column_of(rows, name);
  return columns;
}

// Returns what the page's script reads.
std::string data_of(const Page& page) {
  Json charts = Json::array(), datasets = Json::object();
  for (const Section& section : page.sections)
    for (const Chart& chart : section.charts) {
      Json fields = Json::array();
      for (const ChartField& field : chart.fields)
        fields.push_back({{"name", field.name},
                          {"title", field.title},
                          {"isNumber", field.is_number},
                          {"isLogarithmic", field.is_logarithmic}});
      charts.push_back({{"id", chart.id}, {"title", chart.title}, {"spec", chart.spec}, {"fields", std::move(fields)}});
    }
  for (const auto& [name, rows] : page.datasets) datasets[name] = columns_of(rows);
  return json_text({{"charts", std::move(charts)}, {"datasets", std::move(datasets)}});
}

// Returns the place of a picture. It is hidden until the script draws it.
std::string figure_html(const Chart& chart) {
  const std::string caption = chart.caption.empty() ? "" : fmt::format(" {}", escaped(chart.caption));
  return fmt::format(
      "<figure id=\"{}\" hidden>\n<figcaption><strong>{}</strong>{}</figcaption>\n<div "
      "class=\"chart\"></div>\n</figure>\n",
      escaped(chart.id), escaped(chart.title), caption);
}

std::string section_html(const Section& section, bool has_pictures) {
  std::string html = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}\n", escaped(section.id),
                                 escaped(section.heading), section.html);
  if (has_pictures)
    for (const Chart& chart : section.charts) html += figure_html(chart);
  return html + "</section>\n";
}

std::string main_html(const Page& page, bool has_pictures) {
  std::string html = fmt::format("<h1>{}</h1>\n", escaped(page.title));
  html +=
      has_pictures
          ? "<noscript><p class=\"note\">The pictures of this page need JavaScript; all else does not.</p></noscript>\n"
          : "<p class=\"note\">This page has no pictures, because attune was built without Vega-Lite. "
            "<code>cmake --build BUILD --target vega_bundle</code> fetches it from the Python package index; "
            "<code>ATTUNE_VEGA_BUNDLE=FILE</code> in the environment names a copy.</p>\n";
  for (const Section& section : page.sections) html += section_html(section, has_pictures);
  return html;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : visible_text(text)) switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  return html;
}

std::string page_html(const Page& page, std::optional<std::string_view> bundle) {
  const std::string_view style = attune_embedded::report_style.text, script = attune_embedded::report_script.text;
  std::string scripts,
      policy = "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " + source_of(style);
  if (bundle) {
    scripts = fmt::format("<script type=\"application/json\" id=\"report-data\">{}</script>\n", data_of(page));
    policy += "; script-src";
    // A module, because the bundle declares names that are no others' business.
    for (const std::string_view text : {*bundle, script}) {
      scripts += fmt::format("<script type=\"module\">{}</script>\n", text);
      policy += " " + source_of(text);
    }
  }
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<main>\n{}</main>\n<footer>\n<details>\n<summary>Notices of Vega, Vega-Lite, and what they use</summary>\n"
      "<pre>{}</pre>\n</details>\n</footer>\n{}</body>\n</html>\n",
      policy, escaped(page.title), style, main_html(page, bundle.has_value()),
      escaped(attune_embedded::report_notices.text), scripts);
}

}  // namespace attune::cli
