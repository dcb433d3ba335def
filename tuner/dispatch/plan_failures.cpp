#include "dispatch/plan_failures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/first_line.hpp"
#include "kernel/legality.hpp"
#include "kernel/near_miss.hpp"

namespace attune {
namespace {

// Returns the first fall-back that is legal, but not deterministic; null: there is none.
const Configuration* varying_fallback(const MatchRequest& request) {
  if (!request.deterministic_only) return nullptr;
  for (const Configuration& fallback : request.fallbacks)
    if (legal_configuration(request.spec, request.problem, request.device, fallback)) return &fallback;
  return nullptr;
}

}  // namespace

void fail_without_any(const MatchRequest& request) {
  const Configuration* const varying = varying_fallback(request);
  std::string why = "it has none";
  if (varying != nullptr)
    why = fmt::format(
        "of {}, `{}` ([kernel] `deterministic`) does not hold; list values for which it holds first in "
        "[parameters], or tune with such values alone",
        varying->text(), request.spec.deterministic->text());
  else if (!request.fallbacks.empty())
    why = fmt::format("of {}, {}; to see what is: {}; to tune this problem", request.fallbacks.front().text(),
                      why_illegal(request.spec, request.problem, request.device, request.fallbacks.front()),
                      command_for(request, "space"));
  throw Error(fmt::format("none of the {} fall-back configurations of {} is {} for {} on {}: {}: {}{}",
                          request.fallbacks.size(), request.spec.name, varying != nullptr ? "deterministic" : "legal",
                          request.problem.text(), request.device.name, why, tune_command(request),
                          varying != nullptr ? " --parameters \"NAME=VALUE,...\"" : ""));
}

Error default_failure(const MatchRequest& request, const GradedMatch& candidate, const Status& status) {
  return Error(
      fmt::format("the default of {} ({}) cannot be used for {} on {} (try: {}; or: {}; or list values that can be "
                  "used first in [parameters]; or exclude these by a rule): {}: {}",
                  request.spec.name, candidate.match.configuration.text(), request.problem.text(), request.device.name,
                  command_for(request, "check"), tune_command(request), to_text(status.verdict), status.detail));
}

std::string unusable_record(const MatchRequest& request, const GradedMatch& candidate, const Status& status) {
  return fmt::format("the recorded configuration of {} ({}) cannot be used for {} on {}: {}: {}; using the next best",
                     request.spec.name, candidate.match.configuration.text(), request.problem.text(),
                     request.device.name, to_text(status.verdict), first_line(status.detail));
}

NotPrepared not_prepared(const MatchRequest& request) {
  return NotPrepared(
      fmt::format("no image of {} for {} is loaded or cached on {}; prepare it first: "
                  "gpu.prepare(\"{}\", ...), or launch it once before",
                  request.spec.name, request.problem.text(), request.device.name, request.spec.name));
}

void fail_for_now(const MatchRequest& request, const GradedMatch& candidate, const Status& status) {
  if (status.ok()) throw not_prepared(request);
  throw Error(
      fmt::format("the configuration {} of {} cannot be used for {} on {}: {}: {}; no other one takes its "
                  "place",
                  candidate.match.configuration.text(), request.spec.name, request.problem.text(), request.device.name,
                  to_text(status.verdict), status.detail));
}

}  // namespace attune
