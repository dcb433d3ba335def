#include "exports/provenance.hpp"

#include <fmt/format.h>

#include "base/unix_ms.hpp"
#include "exports/cpp_text.hpp"

namespace attune {

std::string utc_date(std::int64_t unix_ms) { return utc_text(unix_ms, "%Y-%m-%dT%H:%M:%SZ"); }

std::string provenance_comment(const Record& record) {
  const std::string first = fmt::format("{} on {}, driver {}, {}: {} {}", record.key.problem.text(), record.device_name,
                                        record.driver, record.toolchain, record.key.regime, record.uuid);
  const std::string gain = !default_failure(record).empty()
                               ? say_default_failed(default_failure(record))
                               : fmt::format("{:.3f} times as fast as the default ({:.3f} to {:.3f})", record.speedup,
                                             record.speedup_low, record.speedup_high);
  const std::string second =
      fmt::format("median {:.1f} ns, {}; {}, effort {}{}{}, attune {}", record.median_ns, gain,
                  utc_date(record.made_ms), to_text(record.effort), record.partial ? ", cut short" : "",
                  record.unstable ? ", unstable" : "", record.attune_version);
  return fmt::format("    // {}\n    // {}\n", cpp_comment(first), cpp_comment(second));
}

}  // namespace attune
