#include "space/fallbacks.hpp"

#include <algorithm>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "kernel/legality.hpp"
#include "space/default_configuration.hpp"
#include "space/tried_problems.hpp"

namespace attune {
namespace {

// Of a group of problems that have no legal configuration: the rest of the group is given up.
constexpr std::size_t most_failures = 4, most_failures_of_sweep = 32;
constexpr std::size_t most_compared = 64;  // problems of a sweep that candidates are compared by

// Returns how far a configuration is from the first values, as SearchSpace::nearest() counts.
std::uint64_t distance_of(const KernelSpec& spec, const Configuration& configuration) {
  constexpr std::uint64_t one_parameter = std::uint64_t{1} << 32;
  std::uint64_t distance = 0;
  for (const Parameter& parameter : spec.parameters) {
    const auto at = std::ranges::find(parameter.values, configuration.at(parameter.name)) - parameter.values.begin();
    if (at > 0) distance += one_parameter + static_cast<std::uint64_t>(at);
  }
  return distance;
}

Configuration first_values(const KernelSpec& spec) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  return first;
}

class Collection {
 public:
  // Begins with `found`. Finds at most as many more as make `most`.
  Collection(const KernelSpec& spec, std::vector<Configuration> found, std::size_t most)
      : spec_(spec), most_(most), begun_(found.size()), found_(std::move(found)) {}

  // Each problem by what is nearest to the first values there.
  void serve(const std::vector<TriedProblem>& group) {
    std::size_t failures = 0;
    for (const TriedProblem& tried : group) {
      if (is_full() || failures == most_failures) return;
      if (is_served(tried)) continue;
      try {
        found_.push_back(default_for(spec_, tried.problem, tried.device));
      } catch (const Error&) {
        ++failures;
      }
    }
  }

  // The first problem that is left by what serves most of the others that are left.
  void serve_widely(std::vector<TriedProblem> left) {
    std::size_t failures = 0;
    while (!is_full() && failures < most_failures_of_sweep) {
      std::erase_if(left, [this](const TriedProblem& tried) { return is_served(tried); });
      if (left.empty()) return;
      const std::vector<Configuration> candidates = candidates_for(left.front());
      if (candidates.empty()) {
        left.erase(left.begin());
        ++failures;
      } else {
        found_.push_back(
            *std::ranges::max_element(candidates, {}, [&](const auto& one) { return count_served(left, one); }));
      }
    }
  }

  // Returns those it began with; then nearer ones to the first values come first, as the search space's own default is
  // the nearest.
  std::vector<Configuration> take() {
    std::stable_sort(
        found_.begin() + static_cast<std::ptrdiff_t>(begun_), found_.end(),
        [&](const Configuration& a, const Configuration& b) { return distance_of(spec_, a) < distance_of(spec_, b); });
    return std::move(found_);
  }

 private:
  bool is_full() const { return found_.size() >= most_; }
  bool serves(const Configuration& configuration, const TriedProblem& tried) const {
    return legal_configuration(spec_, tried.problem, tried.device, configuration).has_value();
  }
  bool is_served(const TriedProblem& tried) const {
    return std::ranges::any_of(found_, [&](const Configuration& one) { return serves(one, tried); });
  }
  // Of some that lie evenly among `left`.
  std::size_t count_served(const std::vector<TriedProblem>& left, const Configuration& configuration) const {
    const std::size_t step = (left.size() + most_compared - 1) / most_compared;
    std::size_t count = 0;
    for (std::size_t i = 0; i < left.size(); i += step)
      if (serves(configuration, left[i])) ++count;
    return count;
  }
  // Returns what is nearest to the first values of which one has been replaced, for each other value.
  std::vector<Configuration> candidates_for(const TriedProblem& tried) const {
    std::vector<Configuration> candidates;
    const SearchSpace space = make_space(spec_, tried.problem, tried.device);
    for (const Parameter& parameter : spec_.parameters)
      for (const Value& value : parameter.values) {
        Configuration wished = first_values(spec_);
        wished.set(parameter.name, value);
        const auto nearest = space.nearest(wished);
        if (!nearest) return {};
        if (std::ranges::find(candidates, *nearest) == candidates.end()) candidates.push_back(*nearest);
      }
    return candidates;
  }

  const KernelSpec& spec_;
  std::size_t most_, begun_;
  std::vector<Configuration> found_;
};

// Adds to `found` what is legal for the problems that are tried, on the devices that are known.
std::vector<Configuration> collected(const KernelSpec& spec, std::vector<Configuration> found, std::size_t most) {
  Collection collection(spec, std::move(found), most);
  for (const auto& group : usual_problems(spec)) collection.serve(group);
  collection.serve_widely(swept_problems(spec));
  return collection.take();
}

}  // namespace

std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most) {
  std::vector<Configuration> found = collected(spec, {first_values(spec)}, most);
  if (!spec.deterministic || (spec.deterministic->names().empty() && !spec.deterministic->holds(Scope{}))) return found;
  KernelSpec narrowed = spec;  // where only deterministic configurations are legal
  narrowed.rules.push_back(*spec.deterministic);
  return collected(narrowed, std::move(found), most);
}

}  // namespace attune
