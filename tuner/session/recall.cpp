#include "session/recall.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "kernel/legality.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

std::string toolchain_of(Device& device) {
  try {
    return device.compiler()->toolchain();
  } catch (const Error&) {
    return {};  // nothing is compiled here, so nobody need hear of it
  }
}

}  // namespace

Match recall(const EffortPlan& plan, const MatchRequest& request, std::span<const Record> records, Device& device) {
  std::vector<GradedMatch> ladder = match_ladder(request, records, [&](const Configuration& configuration) {
    return legal_configuration(request.spec, request.problem, request.device, configuration);
  });
  if (!ladder.empty()) {
    GradedMatch& best = ladder.front();
    if (best.match.rung == Rung::exact) grade_toolchain(best, request, toolchain_of(device));
    return std::move(best.match);
  }
  if (plan.needs_wisdom)
    throw Error(fmt::format("no wisdom for {} ({}) on {}, and effort {} does not measure; to find some: {}",
                            request.spec.name, request.problem.text(), request.device.name, plan.name,
                            tune_command(request)));
  return no_match(request, default_for(request.spec, request.problem, request.device));
}

}  // namespace attune
