#include "space/fallbacks.hpp"

#include <algorithm>
#include <optional>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "kernel/legality.hpp"
#include "space/default_configuration.hpp"
#include "space/tried_problems.hpp"

namespace attune {
namespace {

// A group, or the sweep, is given up after this many problems without a legal configuration.
constexpr std::size_t most_failures = 4, most_failures_of_sweep = 64;
// Candidates are taken from `most_asked` of the sweep's unserved problems, and compared by `most_compared` of them.
constexpr std::size_t most_asked = 8, most_compared = 64;

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

// Returns `most` of the places 0 .. count-1, evenly spread, or all if there are fewer.
std::vector<std::size_t> evenly(std::size_t count, std::size_t most) {
  std::vector<std::size_t> places(std::min(count, most));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i * count / places.size();
  return places;
}

class FallbackList {
 public:
  FallbackList(const KernelSpec& spec, std::vector<Configuration> found)
      : spec_(spec), begun_(found.size()), found_(std::move(found)) {}

  // Adds, for each problem of a group that no found configuration serves, the legal one nearest to the first values.
  // Stops at `most` found configurations.
  void serve(const std::vector<TriedProblem>& group, std::size_t most) {
    std::size_t failures = 0;
    for (const TriedProblem& tried : group) {
      if (found_.size() >= most || failures == most_failures) return;
      if (is_served(tried)) continue;
      if (auto nearest = nearest_for(tried))
        found_.push_back(*std::move(nearest));
      else
        ++failures;
    }
  }

  // Adds, again and again, the candidate that serves most of the problems left. Stops at `most` found configurations.
  void serve_widely(std::vector<TriedProblem> left, std::size_t most) {
    std::size_t failures = 0;
    std::erase_if(left, [this](const TriedProblem& tried) { return is_served(tried); });
    std::vector<Configuration> candidates;
    for (const std::size_t i : evenly(left.size(), most_asked)) append_candidates(candidates, left[i]);
    while (!left.empty() && found_.size() < most && failures < most_failures_of_sweep) {
      const Configuration* best = most_useful(candidates, left);
      if (best == nullptr) {
        candidates.clear();
        append_candidates(candidates, left.front());
        best = most_useful(candidates, left);
      }
      if (best == nullptr) {
        left.erase(left.begin());
        ++failures;
        continue;
      }
      found_.push_back(*best);
      std::erase_if(left, [this](const TriedProblem& tried) { return serves(found_.back(), tried); });
    }
  }

  // Returns the configurations given at first, then the others, the nearest to the first values first: the default of a
  // search space is the nearest one too.
  std::vector<Configuration> take() {
    std::stable_sort(
        found_.begin() + static_cast<std::ptrdiff_t>(begun_), found_.end(),
        [&](const Configuration& a, const Configuration& b) { return distance_of(spec_, a) < distance_of(spec_, b); });
    return std::move(found_);
  }

 private:
  bool serves(const Configuration& configuration, const TriedProblem& tried) const {
    return legal_configuration(spec_, tried.problem, tried.device, configuration).has_value();
  }
  bool is_served(const TriedProblem& tried) const {
    return std::ranges::any_of(found_, [&](const Configuration& one) { return serves(one, tried); });
  }
  // Returns nothing if no configuration is legal, or if the space cannot be searched.
  std::optional<Configuration> nearest_for(const TriedProblem& tried) const {
    try {
      return nearest_to_first_values(spec_, tried.problem, tried.device);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  // Returns the candidate that serves the most of a sample of the problems, which includes the first problem. Returns
  // null if no candidate serves any.
  const Configuration* most_useful(const std::vector<Configuration>& candidates,
                                   const std::vector<TriedProblem>& problems) const {
    const std::vector<std::size_t> compared = evenly(problems.size(), most_compared);
    const Configuration* best = nullptr;
    std::ptrdiff_t most = 0;
    for (const Configuration& candidate : candidates) {
      const auto served =
          std::ranges::count_if(compared, [&](std::size_t i) { return serves(candidate, problems[i]); });
      if (served <= most) continue;
      best = &candidate;
      most = served;
    }
    return best;
  }
  // Adds the legal configurations nearest to the first values, and to the first values with one of them replaced by any
  // other. Adds nothing if no configuration is legal.
  void append_candidates(std::vector<Configuration>& candidates, const TriedProblem& tried) const {
    try {
      const SearchSpace space = make_space(spec_, tried.problem, tried.device);
      for (const Parameter& parameter : spec_.parameters)
        for (const Value& value : parameter.values) {
          Configuration wished = first_values(spec_);
          wished.set(parameter.name, value);
          const auto nearest = space.nearest(wished);
          if (!nearest) return;
          if (std::ranges::find(candidates, *nearest) == candidates.end()) candidates.push_back(*nearest);
        }
    } catch (const Error&) {
      return;  // not a space that can be searched
    }
  }

  const KernelSpec& spec_;
  std::size_t begun_;
  std::vector<Configuration> found_;
};

// Adds to `found` legal configurations for the tried problems on the known devices. The usual problems may bring
// `found` up to `most`, the sweep up to `most_swept`.
std::vector<Configuration> collected(const KernelSpec& spec, std::vector<Configuration> found, std::size_t most,
                                     std::size_t most_swept) {
  FallbackList collection(spec, std::move(found));
  for (const auto& group : usual_problems(spec)) collection.serve(group, most);
  collection.serve_widely(swept_problems(spec), most_swept);
  return collection.take();
}

}  // namespace

std::vector<Configuration> fallback_configurations(const KernelSpec& spec, std::size_t most) {
  const bool is_choice = spec.deterministic && !spec.deterministic->names().empty();
  if (!is_choice) return collected(spec, {first_values(spec)}, most, most);
  KernelSpec narrowed = spec;  // under its rules only deterministic configurations are legal
  narrowed.rules.push_back(*spec.deterministic);
  return collected(narrowed, collected(spec, {first_values(spec)}, most, most / 2), most, most);
}

}  // namespace attune
