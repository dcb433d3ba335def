#include "report/render.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace attune::cli {
namespace {

std::string table_html(const std::vector<Cells>& table) {
  if (table.empty()) return "";
  std::string html = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const std::string& cell : table.front())
    html += (&cell == &table.front().front() ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"number\">") +
            escaped(cell) + "</th>";
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 1; i < table.size(); ++i) {
    html += "<tr>";
    for (std::size_t k = 0; k < table[i].size(); ++k)
      html += (k == 0 ? "<td>" : "<td class=\"number\">") + escaped(table[i][k]) + "</td>";
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string facts_html(const std::vector<ReportFact>& facts) {
  if (facts.empty()) return "";
  std::string html = "<dl class=\"facts\">\n";
  for (const ReportFact& fact : facts)
    html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped(fact.name), escaped(fact.text));
  return html + "</dl>\n";
}

std::string html_of(const ReportSection& section) {
  std::string html = section.headline.empty() ? "" : "<p class=\"headline\">" + escaped(section.headline) + "</p>\n";
  html += facts_html(section.facts);
  for (std::size_t i = 0; i < section.sentences.size(); ++i) {
    html += "<p>" + escaped(section.sentences[i]) + "</p>\n";
    if (i < section.commands.size()) html += "<pre class=\"command\">" + escaped(section.commands[i]) + "</pre>\n";
  }
  html += table_html(section.table);
  for (const ReportDetail& detail : section.details)
    html += fmt::format("<details><summary>{}</summary><pre>{}</pre></details>\n", escaped(detail.title),
                        escaped(detail.text));
  return html;
}

}  // namespace

Page page_of(const std::string& title, const std::vector<ReportSection>& sections,
             std::map<std::string, Json> datasets) {
  Page page{.title = title, .sections = {}, .datasets = std::move(datasets)};
  for (const ReportSection& section : sections)
    page.sections.push_back({"about-" + section.id, section.heading, html_of(section), section.charts});
  return page;
}

std::string text_of(const std::string& title, const std::vector<ReportSection>& sections) {
  std::string text = in_lines(title, 2) + "\n";
  for (const ReportSection& section : sections) {
    std::string part = section.headline.empty() ? "" : indented_line(section.headline);
    for (const ReportFact& fact : section.facts) part += fact_line(fact.name, fact.text);
    for (std::size_t i = 0; i < section.sentences.size(); ++i) {
      if (section.table.empty() && section.facts.empty() && section.commands.empty() && !section.charts.empty()) break;
      part += indented_line(section.sentences[i]);
      if (i < section.commands.size()) part += "    " + section.commands[i] + "\n";
    }
    part += table_text(section.table);
    if (!part.empty()) text += "\n" + section.heading + "\n" + part;
  }
  return text;
}

std::map<std::string, std::string> specifications_of(const std::vector<ReportSection>& sections,
                                                     const std::map<std::string, Json>& datasets) {
  std::map<std::string, std::string> files;
  for (const ReportSection& section : sections)
    for (const Chart& chart : section.charts) {
      Json specification = {{"$schema", "https://vega.github.io/schema/vega-lite/v6.json"}, {"title", chart.title}};
      specification.update(chart.spec);
      for (const auto& [name, rows] : datasets)
        if (specification.contains("data") && specification["data"].value("name", "") == name)
          specification["data"] = {{"values", rows}};
      files[chart.id + ".vl.json"] =
          specification.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    }
  return files;
}

}  // namespace attune::cli
