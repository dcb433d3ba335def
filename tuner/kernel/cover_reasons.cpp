#include "kernel/cover_reasons.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "kernel/cover_match.hpp"
#include "kernel/legality.hpp"

namespace attune {
namespace {

// Returns what keeps a cover from being asked, or "".
std::string why_not_asked(const MatchRequest& request, const Cover& cover) {
  const RecordKey& key = cover.key;
  const Fingerprints& own = request.spec.fingerprints;
  if (key.code != own.code) return "it is for another text of the code, which has changed";
  if (key.contract != own.contract)
    return "it is for other arguments or launches: [problem], [[launch]] or [arguments] changed";
  if (key.device_class != request.device.class_key())
    return fmt::format("it is for {}, another device", cover.device_name);
  if (key.objective != request.objective)
    return fmt::format("it is for the objective `{}`, not `{}`", key.objective, request.objective);
  if (key.regime != request.regime) return fmt::format("it is for {} launches, not {}", key.regime, request.regime);
  if (!is_of_present_meaning(cover.protocol)) return "times have another meaning since it was made";
  return {};
}

std::string why_no_configuration(const MatchRequest& request, const Cover& cover) {
  const Scope scope{.problem = &request.problem};
  const std::int64_t answer = Expression(cover.tree).integer(scope, "its rule");
  if (answer == cover_default) return "it names the default, and no fall-back can be used here";
  if (answer < 0 || answer >= static_cast<std::int64_t>(cover.configurations.size()))
    return "its rule has no answer here: types and choices that were not measured";
  const Configuration& configuration = cover.configurations[answer];
  const std::string rule = why_illegal(request.spec, request.problem, request.device, configuration);
  return fmt::format("its answer {} is not {}", configuration.text(),
                     rule.empty() ? "deterministic" : fmt::format("legal here: {}", rule));
}

}  // namespace

std::string why_no_answer(const MatchRequest& request, const Cover& cover) try {
  const std::string obstacle = why_not_asked(request, cover);
  if (!obstacle.empty() || cover_match(request, {&cover, 1})) return obstacle;
  Expression(cover.measured).holds({.problem = &request.problem});
  return why_no_configuration(request, cover);
} catch (const Error& error) {
  return fmt::format("its rule cannot be evaluated here: {}", error.what());
}

}  // namespace attune
