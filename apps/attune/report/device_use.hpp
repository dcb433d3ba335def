// What a session's configurations reach on their device: finalists beside the best, and the roofline. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/advice.hpp"
#include "report/report_data.hpp"

namespace attune::cli {

// Returns the finalist that the record names; null where there is none.
const FinalistResult* best_finalist(const ReportData& data);
// Returns the time of the default configuration in the final stage, else in the search; nothing if it is not known.
std::optional<double> default_time(const ReportData& data);

struct RooflinePoint {
  std::string name;      // "best", "default", "finalist"
  double intensity = 0;  // operations per byte
  double operations_per_second = 0;
};

// The two measured ceilings of the session's device that bound the kernel, and where its configurations are.
struct Roofline {
  std::string bytes_name, operations_name;           // of the ceilings
  double bytes_ceiling = 0, operations_ceiling = 0;  // per second
  std::vector<RooflinePoint> points;
};
// Returns nothing if the kernel's text is not at hand, lacks `bytes` or `flops`, or the device was not calibrated.
std::optional<Roofline> roofline_of(const ReportData& data);

// Returns the facts for advice on the session's best configuration. They refer to `data`.
AdviceFacts advice_facts_of(const ReportData& data);

}  // namespace attune::cli
