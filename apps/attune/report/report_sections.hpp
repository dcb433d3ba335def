// The sections of a report, in the order in which they are read. Each says its content once, as sentences, facts,
// table and charts; page.hpp makes HTML of them and report_text.hpp text for a terminal. Pure.
#pragma once

#include <string>
#include <vector>

#include "report/charts.hpp"
#include "report/report_data.hpp"
#include "table.hpp"

namespace attune::cli {

struct ReportFact {
  std::string name, text;
};

// A text that is shown on demand, such as a compiler's log.
struct ReportDetail {
  std::string title, text;
};

struct ReportSection {
  std::string id, heading;
  std::string headline = {};  // what to remember
  std::vector<ReportFact> facts = {};
  std::vector<std::string> sentences = {};
  std::vector<Cells> table = {};  // the first row is the head
  std::vector<ReportDetail> details = {};
  std::vector<Chart> charts = {};
  std::vector<std::string> commands = {};  // to run next
};

// Returns all sections that have something to say.
std::vector<ReportSection> sections_of(const ReportData& data);

ReportSection verdict_section(const ReportData& data);
ReportSection trials_section(const ReportData& data);
ReportSection progress_section(const ReportData& data);
ReportSection ranks_section(const ReportData& data);
ReportSection importance_section(const ReportData& data);
ReportSection finalists_section(const ReportData& data);
ReportSection roofline_section(const ReportData& data);
ReportSection occupancy_section(const ReportData& data);
ReportSection timeline_section(const ReportData& data);
ReportSection rejected_section(const ReportData& data);
ReportSection advice_section(const ReportData& data);
ReportSection records_section(const ReportData& data);
ReportSection next_section(const ReportData& data);

}  // namespace attune::cli
