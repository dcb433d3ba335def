#include "measure/drift.hpp"

namespace attune {
namespace {

struct Figure {
  double value, low, high;
};

std::optional<DriftedFigure> drifted(const Figure& a, const Figure& b) {
  if (a.low <= 0 || b.low <= 0) return std::nullopt;
  return DriftedFigure{a.value, b.value, a.high < b.low || b.high < a.low};
}

Figure time_of(const Record& record) { return {record.median_ns, record.q1_ns, record.q3_ns}; }
Figure speedup_of(const Record& record) {
  return record.default_ns > 0 ? Figure{record.speedup, record.speedup_low, record.speedup_high} : Figure{};
}

}  // namespace

std::string why_not_comparable(const Record& a, const Record& b) {
  if (a.median_ns <= 0 && b.median_ns <= 0) return "neither was ever measured";
  if (a.median_ns <= 0 || b.median_ns <= 0) return "one of them was never measured";
  if (a.protocol != b.protocol) return "their times mean different things";
  return "";
}

Drift drift_of(const Record& a, const Record& b) {
  Drift drift;
  drift.time = drifted(time_of(a), time_of(b));
  drift.speedup = drifted(speedup_of(a), speedup_of(b));
  if (a.default_ns > 0 && b.default_ns > 0) drift.default_time = DriftedFigure{a.default_ns, b.default_ns, false};
  drift.is_other_configuration = a.configuration != b.configuration;
  return drift;
}

}  // namespace attune
