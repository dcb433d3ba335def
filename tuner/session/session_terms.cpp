#include "session/session_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/strategy_text.hpp"
#include "session/revalidate.hpp"

namespace attune {
namespace {

Protocol protocol_of(const SessionRequest& request) {
  if (request.protocol) return *request.protocol;
  return {depth_within(effort_plan(request.effort), request.limits.seconds)};
}

// Extends the effort's budget if the user's time limit is longer.
Budget stretched(Budget budget, const Budget& limits) {
  if (budget.seconds && limits.seconds) budget.seconds = std::max(*budget.seconds, *limits.seconds);
  return budget;
}

}  // namespace

SessionKey session_key(const SessionRequest& request, const Subject& subject, const DeviceInfo& device) {
  const SubjectIdentity& identity = subject.identity();
  SessionKey key;
  key.record.kernel = identity.name;
  key.record.code = identity.fingerprints.code;
  key.record.contract = identity.fingerprints.contract;
  key.record.device_class = device.class_key();
  key.record.problem = identity.problem;
  key.record.regime = std::string(to_text(request.regime));
  key.record.objective = request.objectives.text();
  key.space = identity.fingerprints.space;
  key.effort = request.effort;
  if (request.part && request.part->revalidates) {
    key.strategy = revalidating;
    return key;
  }
  key.strategy = canonical_strategy(request.strategy.empty() ? effort_plan(request.effort).strategy : request.strategy);
  return key;
}

SessionTerms::SessionTerms(const SessionRequest& from, const Subject& tuned, const DeviceFacts& device_opened)
    : request(from),
      subject(tuned),
      opened(device_opened),
      device(opened.info),
      space(subject.space()),
      default_configuration(subject.default_configuration()),
      anchors(subject.anchors()),
      key(session_key(request, subject, device)),
      budget(stretched(effort_plan(request.effort).budget, request.limits)),
      protocol(protocol_of(request)) {}

bool SessionTerms::may_be_anchor(const Configuration& configuration) const {
  return std::find(anchors.begin(), anchors.end(), configuration) != anchors.end();
}

std::string empty_space_explanation(const SearchSpace& space) {
  std::string text = space.empty() ? "no configuration is legal" : "no legal configuration was found";
  text += "; of " + to_text(space.cartesian_size()) + " combinations each rule alone removes:";
  for (const RuleEffect& effect : space.effects())
    if (effect.removed_alone > 0)
      text += fmt::format("\n  {}{:6.2f} %  {}{}", effect.exact ? "" : "about ", 100 * effect.removed_alone,
                          effect.rule, effect.implied ? "  (a limit of the device)" : "");
  return text;
}

}  // namespace attune
