// Renders the sections of a report: as a page, as text, and as bare specifications. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/page.hpp"
#include "report/report_sections.hpp"

namespace attune::cli {

// Returns the page of a report. `datasets`: the data that several charts share, by name.
Page page_of(const std::string& title, const std::vector<ReportSection>& sections,
             std::map<std::string, Json> datasets);
// Returns the sections for a terminal, without their charts.
std::string text_of(const std::string& title, const std::vector<ReportSection>& sections);
// Returns the specification of each chart with all its data, by file name: "trials.vl.json".
std::map<std::string, std::string> specifications_of(const std::vector<ReportSection>& sections,
                                                     const std::map<std::string, Json>& datasets);

}  // namespace attune::cli
