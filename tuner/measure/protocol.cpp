#include "measure/protocol.hpp"

#include <fmt/format.h>

namespace attune {
namespace {

// Calls visit(name, value) for each constant.
template <typename Visit>
void visit_constants(const Protocol& protocol, const Visit& visit) {
#define ATTUNE_CONSTANT(name) visit(#name, protocol.name)
  ATTUNE_CONSTANT(warm_up_ms);
  ATTUNE_CONSTANT(warm_up_most_ms);
  ATTUNE_CONSTANT(settled_clock_ratio);
  ATTUNE_CONSTANT(anchor_samples);
  ATTUNE_CONSTANT(anchor_samples_most);
  ATTUNE_CONSTANT(anchor_error);
  ATTUNE_CONSTANT(anchor_every);
  ATTUNE_CONSTANT(batch_ns);
  ATTUNE_CONSTANT(batch_least);
  ATTUNE_CONSTANT(batch_most);
  ATTUNE_CONSTANT(batch_most_ns);
  ATTUNE_CONSTANT(reject_ratio);
  ATTUNE_CONSTANT(screen_samples);
  ATTUNE_CONSTANT(screen_samples_most);
  ATTUNE_CONSTANT(screen_error);
  ATTUNE_CONSTANT(confirm_most);
  ATTUNE_CONSTANT(confirm_ratio);
  ATTUNE_CONSTANT(confirm_samples);
  ATTUNE_CONSTANT(confirm_samples_most);
  ATTUNE_CONSTANT(confirm_error);
  ATTUNE_CONSTANT(confirm_group);
  ATTUNE_CONSTANT(confirm_seconds);
  ATTUNE_CONSTANT(finalists);
  ATTUNE_CONSTANT(final_rounds_min);
  ATTUNE_CONSTANT(final_rounds_max);
  ATTUNE_CONSTANT(look_every);
  ATTUNE_CONSTANT(load_again_every);
  ATTUNE_CONSTANT(ahead_seconds);
  ATTUNE_CONSTANT(final_seconds);
  ATTUNE_CONSTANT(settled_log_ratio);
  ATTUNE_CONSTANT(round_drift);
  ATTUNE_CONSTANT(dropped_rounds_max);
  ATTUNE_CONSTANT(energy_warm_seconds);
  ATTUNE_CONSTANT(energy_seconds);
  ATTUNE_CONSTANT(tie_ratio);
  ATTUNE_CONSTANT(lean_tie_ratio);
#undef ATTUNE_CONSTANT
}

}  // namespace

std::string to_json(const Protocol& protocol) {
  std::string json = fmt::format("{{\"version\":{}", Protocol::version);
  visit_constants(protocol, [&](const char* name, auto value) { json += fmt::format(",\"{}\":{}", name, value); });
  return json + "}";
}

}  // namespace attune
