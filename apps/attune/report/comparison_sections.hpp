// The records of two databases beside each other: two states of a kernel, or two devices. Pure.
#pragma once

#include <string>
#include <vector>

#include "core/record.hpp"
#include "report/report_sections.hpp"

namespace attune::cli {

// Records of one side, with the name that the report gives it.
struct ComparedSide {
  std::string name;
  std::vector<Record> records;
};

// Returns a section for each kernel that both sides have a record of, for a problem, regime and objective in common.
// The last section names what only one side has. The times are of different runs, so they are not paired. A section
// names the faster side only if the quartiles of both times do not overlap.
std::vector<ReportSection> compared_sections(const ComparedSide& first, const ComparedSide& second);

}  // namespace attune::cli
