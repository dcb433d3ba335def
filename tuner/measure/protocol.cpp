#include "measure/protocol.hpp"

#include <fmt/format.h>

namespace attune {

std::string to_json(const Protocol& protocol) {
  return fmt::format(
      R"({{"version":{},"warm_up_ms":{},"warm_up_most_ms":{},"settled_clock_ratio":{},"anchor_samples":{},"anchor_every":{},"batch_below_ns":{},"batch_ns":{},"batch_least":{},"batch_most":{},"reject_ratio":{},)"
      R"("reject_ratio_short":{},"short_ns":{},"screen_samples":{},"confirm_most":{},"confirm_ratio":{},"confirm_samples":{},"confirm_group":{},)"
      R"("confirm_seconds":{},"finalists":{},"final_rounds_min":{},)"
      R"("final_rounds_max":{},"look_every":{},"ahead_seconds":{},"final_seconds":{},"settled_log_ratio":{},"round_drift":{},)"
      R"("dropped_rounds_max":{},"energy_warm_seconds":{},"energy_seconds":{},"tie_ratio":{},"lean_tie_ratio":{}}})",
      Protocol::version, protocol.warm_up_ms, protocol.warm_up_most_ms, protocol.settled_clock_ratio,
      protocol.anchor_samples, protocol.anchor_every, protocol.batch_below_ns, protocol.batch_ns, protocol.batch_least,
      protocol.batch_most, protocol.reject_ratio, protocol.reject_ratio_short, protocol.short_ns,
      protocol.screen_samples, protocol.confirm_most, protocol.confirm_ratio, protocol.confirm_samples,
      protocol.confirm_group, protocol.confirm_seconds, protocol.finalists, protocol.final_rounds_min,
      protocol.final_rounds_max, protocol.look_every, protocol.ahead_seconds, protocol.final_seconds,
      protocol.settled_log_ratio, protocol.round_drift, protocol.dropped_rounds_max, protocol.energy_warm_seconds,
      protocol.energy_seconds, protocol.tie_ratio, protocol.lean_tie_ratio);
}

}  // namespace attune
