#include "session/session_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/legality.hpp"
#include "kernel/roofline.hpp"
#include "search/strategy_text.hpp"
#include "space/default_configuration.hpp"

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

// Returns whether values were left out so that results repeat bit for bit, while the kernel's own default is not
// deterministic.
bool is_left_for_determinism(const SessionRequest& request, const DeviceInfo& device, const SearchSpace& space,
                             const Configuration& by_default) {
  const std::optional<Configuration> left = space.nearest(by_default);
  return left && is_deterministic(request.spec, request.problem, device, *left) &&
         !is_deterministic(request.spec, request.problem, device, by_default);
}

std::optional<Configuration> default_of(const SessionRequest& request, const DeviceInfo& device,
                                        const SearchSpace& space) {
  std::optional<Configuration> found = default_configuration(request.spec, request.problem, device);
  if (found && request.spec.whole && is_left_for_determinism(request, device, space, *found)) return std::nullopt;
  return found;
}

std::vector<Configuration> anchors_of(const KernelSpec& spec, const SearchSpace& space,
                                      const std::optional<Configuration>& by_default) {
  std::vector<Configuration> anchors;
  const std::optional<Configuration> left = spec.whole ? space.nearest(first_values(spec)) : by_default;
  if (!left) return anchors;
  if (by_default) anchors.push_back(*by_default);
  if (left != by_default) anchors.push_back(*left);
  return anchors;
}

}  // namespace

SessionKey session_key(const SessionRequest& request, const DeviceInfo& device) {
  SessionKey key;
  key.record.kernel = request.spec.name;
  key.record.code = request.spec.fingerprints.code;
  key.record.contract = request.spec.fingerprints.contract;
  key.record.device_class = device.class_key();
  key.record.problem = request.problem;
  key.record.regime = std::string(to_text(request.regime));
  key.record.objective = request.objectives.text();
  key.space = request.spec.fingerprints.space;
  key.effort = request.effort;
  key.strategy = canonical_strategy(request.strategy.empty() ? effort_plan(request.effort).strategy : request.strategy);
  return key;
}

SessionTerms::SessionTerms(const SessionRequest& from, const DeviceOpened& device_opened)
    : request(from),
      opened(device_opened),
      device(opened.info),
      space(make_space(request.spec, request.problem, device)),
      default_configuration(default_of(request, device, space)),
      anchors(anchors_of(request.spec, space, default_configuration)),
      key(session_key(request, device)),
      budget(stretched(effort_plan(request.effort).budget, request.limits)),
      protocol(protocol_of(request)) {}

bool SessionTerms::may_be_anchor(const Configuration& configuration) const {
  return std::find(anchors.begin(), anchors.end(), configuration) != anchors.end();
}

std::optional<double> SessionTerms::bytes(const Configuration& configuration) const {
  return amount_of(request.spec.metrics.bytes, request.problem, configuration);
}

std::optional<double> SessionTerms::flops(const Configuration& configuration) const {
  return amount_of(request.spec.metrics.flops, request.problem, configuration);
}

std::shared_ptr<const Instance> SessionTerms::instance(InstanceId id, const Configuration& configuration) const {
  return make_instance(id, request.spec, request.problem, configuration, device);
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
