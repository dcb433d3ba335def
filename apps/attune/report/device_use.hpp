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
  std::string name;                                                              // "best", "default", "finalist"
  double bytes_per_second = 0, operations_per_second = 0;                        // 0: the kernel's [metrics] lack it
  double intensity() const { return operations_per_second / bytes_per_second; }  // operations per byte
};

// The measured ceilings of the session's device that bound the kernel, and where its configurations are.
struct Roofline {
  const Ceiling *bytes = nullptr, *operations = nullptr;  // of the data; null: not measured, or no line in [metrics]
  std::vector<RooflinePoint> points;
  bool has_intensity() const { return bytes != nullptr && operations != nullptr; }
};
// Returns nothing if the kernel's text is not at hand, lacks [metrics], or the device was not calibrated. The result
// refers to `data`.
std::optional<Roofline> roofline_of(const ReportData& data);

// Returns the facts for advice on one configuration, `best`. They refer to `data`.
AdviceFacts advice_facts_of(const ReportData& data, const Trial* best);

}  // namespace attune::cli
