#include "exports/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>

#include "exports/cpp_text.hpp"

namespace attune {

std::string utc_date(std::int64_t unix_ms) {
  using std::chrono::milliseconds, std::chrono::system_clock, std::chrono::time_point_cast, std::chrono::seconds;
  // Dates that no calendar has are shown as numbers.
  constexpr std::int64_t last_ms = 253402300799999;  // of the year 9999
  if (unix_ms < 0 || unix_ms > last_ms) return fmt::format("{} ms", unix_ms);
  const auto time = time_point_cast<seconds>(system_clock::time_point(milliseconds(unix_ms)));
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(system_clock::to_time_t(time)));
}

std::string provenance_comment(const Record& record) {
  const std::string first = fmt::format("{} on {}, driver {}, {}: {} {}", record.key.problem.text(), record.device_name,
                                        record.driver, record.toolchain, record.key.regime, record.uuid);
  const std::string second = fmt::format(
      "median {:.1f} ns, {:.3f} times as fast as the default ({:.3f} to {:.3f}); {}, effort {}{}{}, attune {}",
      record.median_ns, record.speedup, record.speedup_low, record.speedup_high, utc_date(record.made_ms),
      to_text(record.effort), record.partial ? ", cut short" : "", record.unstable ? ", unstable" : "",
      record.attune_version);
  return fmt::format("    // {}\n    // {}\n", cpp_comment(first), cpp_comment(second));
}

}  // namespace attune
