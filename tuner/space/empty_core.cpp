// The smallest set of rules that together leave nothing, by implicit hitting sets. A correction is the set of rules
// that some configuration breaks. The answer contains a rule of each correction, so a smallest hitting set of the known
// corrections is no larger than the answer. If the hitting set itself leaves nothing, it is the answer. Otherwise a
// configuration that obeys it gives one more correction.
#include <algorithm>
#include <ranges>

#include "attune/space_audit.hpp"
#include "space/hitting_set.hpp"

namespace attune {
namespace {

using Rules = std::vector<std::size_t>;

constexpr std::uint64_t most_branches = 1'000'000;  // for all hitting sets together; some seconds at most

class CoreSearch {
 public:
  CoreSearch(const SearchSpace& space, std::size_t most_spaces) : space_(space), spaces_left_(most_spaces) {}

  EmptyCore run() {
    Rules core = irreducible();
    for (;;) {
      // Only a set smaller than the present core is of interest.
      const auto hitting = smallest_hitting_set(corrections_, core.size() - 1, branches_left_);
      if (!hitting) return {core, branches_left_ > 0};
      if (spaces_left_ == 0) return {core, false};
      const CoreAnswer outcome = outcome_of(*hitting);
      if (outcome.kind == CoreAnswer::nothing_left) return {*hitting, true};
      if (outcome.kind == CoreAnswer::open || !add_correction(*outcome.obeyed)) return {core, false};
    }
  }

 private:
  struct CoreAnswer {
    enum Kind { nothing_left, some_left, open } kind;
    std::optional<Rules> obeyed;  // some_left: all rules that one configuration under these rules obeys
  };

  Rules all() const {
    Rules rules(space_.rules().size());
    for (std::size_t i = 0; i < rules.size(); ++i) rules[i] = i;
    return rules;
  }

  CoreAnswer outcome_of(const Rules& rules) {
    // A space of hundreds of rules costs as much as several spaces of a few rules.
    spaces_left_ -= std::min(spaces_left_, 1 + rules.size() / 200);
    const SearchSpace under = space_.with_rules(rules);
    if (under.empty()) return {CoreAnswer::nothing_left, {}};
    const auto configuration = under.exact() ? std::optional(under.at(0)) : under.nearest({});
    if (!configuration) return {CoreAnswer::open, {}};
    const Scope scope{&space_.problem(), &*configuration, space_.device()};
    Rules obeyed = all();
    std::erase_if(obeyed, [&](std::size_t i) { return !space_.rules()[i].expression.holds(scope); });
    return {CoreAnswer::some_left, std::move(obeyed)};
  }

  // Returns rules that together leave nothing, none of which can be left out. Tries to leave out the last rules first,
  // because these are the device's limits.
  Rules irreducible() {
    Rules core = all();
    // Large pieces first: if there are thousands of rules, most of them go in one piece.
    for (std::size_t piece = std::max<std::size_t>(1, core.size() / 2);; piece = (piece + 1) / 2) {
      for (std::size_t end = core.size(); end > 0;) {
        const std::size_t begin = end > piece ? end - piece : 0;
        Rules without = core;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(begin),
                      without.begin() + static_cast<std::ptrdiff_t>(end));
        const CoreAnswer outcome = outcome_of(without);
        if (outcome.kind == CoreAnswer::nothing_left) core = std::move(without);
        if (outcome.kind == CoreAnswer::some_left && piece == 1) corrections_.push_back(complement(*outcome.obeyed));
        end = begin;
      }
      if (piece == 1) return core;
    }
  }

  // Grows a set of obeyed rules as far as configurations can be found. The correction is then small and excludes much.
  // Returns false when the constructions are used up.
  bool add_correction(Rules obeyed) {
    for (const std::size_t rule : all()) {
      if (std::ranges::binary_search(obeyed, rule)) continue;
      if (spaces_left_ == 0) return false;
      Rules more = obeyed;
      more.insert(std::ranges::upper_bound(more, rule), rule);
      CoreAnswer outcome = outcome_of(more);
      if (outcome.kind == CoreAnswer::some_left) obeyed = std::move(*outcome.obeyed);
    }
    corrections_.push_back(complement(obeyed));
    return true;
  }

  Rules complement(const Rules& rules) const {
    Rules others = all();
    std::erase_if(others, [&](std::size_t i) { return std::ranges::binary_search(rules, i); });
    return others;
  }

  const SearchSpace& space_;
  std::size_t spaces_left_;
  std::uint64_t branches_left_ = most_branches;
  std::vector<Rules> corrections_;
};

}  // namespace

std::optional<EmptyCore> empty_core(const SearchSpace& space, std::size_t most_spaces) {
  if (!space.empty()) return std::nullopt;
  return CoreSearch(space, most_spaces).run();
}

}  // namespace attune
