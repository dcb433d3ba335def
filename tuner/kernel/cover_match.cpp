#include "kernel/cover_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attune/expression.hpp"
#include "base/counted.hpp"

namespace attune {
namespace {

bool is_of(const MatchRequest& request, const Cover& cover) {
  return same_family(request, cover.key) && cover.key.regime == request.regime &&
         cover.key.device_class == request.device.class_key() && is_of_present_meaning(cover.protocol);
}

std::string why_of(const MatchRequest& request, const Cover& cover, bool is_default, bool is_measured) {
  return fmt::format(
      "{} has a cover on {}, made of {}: {}is expected to be {:.1f} % slower than the best, and {:.1f} % at worst{} "
      "(try: {})",
      request.spec.name, request.device.name, counted(cover.problems, "measured problem"),
      is_default ? "the default, which it names, " : "its choice ", 100 * cover.mean_loss, 100 * cover.worst_loss,
      is_measured ? "" : "; this problem lies beyond those that were measured: " + cover.measured,
      tune_command(request));
}

// Returns nothing where the cover has no answer, or an answer that cannot be used here. A text that does not parse has
// no answer.
std::optional<GradedMatch> answer_of(const MatchRequest& request, const Cover& cover) {
  try {
    const Scope scope{.problem = &request.problem};
    const std::int64_t answer = Expression(cover.tree).integer(scope, "tree");
    const bool is_default = answer == cover_default, is_measured = Expression(cover.measured).holds(scope);
    if (!is_default && (answer < 0 || answer >= static_cast<std::int64_t>(cover.configurations.size()))) return {};
    auto configuration = is_default ? default_of(request) : usable_configuration(request, cover.configurations[answer]);
    if (!configuration) return {};
    return GradedMatch{
        {Rung::cover, *std::move(configuration), why_of(request, cover, is_default, is_measured), 1, "", ""}, {}};
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

[[gnu::cold]] bool is_preferred(const Cover& a, const Cover& b, std::string_view kernel) {
  const bool is_own = a.key.kernel == kernel;
  return is_own != (b.key.kernel == kernel) ? is_own : a.made_ms > b.made_ms;
}

[[gnu::cold]] std::optional<GradedMatch> cover_match(const MatchRequest& request, std::span<const Cover> covers) {
  std::vector<const Cover*> own;
  for (const Cover& cover : covers)
    if (is_of(request, cover)) own.push_back(&cover);
  while (!own.empty()) {
    const auto first = std::ranges::min_element(
        own, [&](const Cover* a, const Cover* b) { return is_preferred(*a, *b, request.spec.name); });
    if (auto match = answer_of(request, **first)) return match;
    own.erase(first);
  }
  return {};
}

}  // namespace attune
