#include "searches.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "score/experience.hpp"
#include "score/fractions.hpp"

namespace attune::cli {
namespace {

// With this stride, the repeats of two nearby seeds have no seed in common.
constexpr std::uint64_t seed_stride = 1'000'003;

// Returns how long a search goes on: long enough for the methodology's score and for the fractions.
Extent extent_of(const ScoreRequest& request, const Space& space) {
  Extent extent;
  if (space.statistics.span) extent.cost = space.statistics.span->budget();
  extent.evaluations = fraction_evaluations.back();
  if (request.most_evaluations) extent.most_evaluations = *request.most_evaluations;
  return extent;
}

std::size_t best_trial(const Space& space) {
  std::size_t trial = 0;
  while (!space.recorded.outcome(trial).valid || space.recorded.outcome(trial).objective > space.statistics.optimum())
    ++trial;
  return trial;
}

// The experience for one file from the other files of its kernel.
struct OtherSpaces {
  std::vector<Experience> experiences;
  std::vector<std::optional<std::size_t>> best;  // by experience: its best trial as a trial here, if it is legal
};

OtherSpaces known_of(const Spaces& spaces, const Space& space) {
  OtherSpaces known;
  const SearchSpace& here = space.recorded.space();
  for (const auto& other : spaces) {
    const Recording& there = other->recording;
    if (there.kernel != space.recording.kernel || there.device == space.recording.device) continue;
    Experience experience = experience_of(other->recorded, here);
    if (experience.trials.empty()) continue;
    known.experiences.push_back(std::move(experience));
    const auto row = here.row_of(other->recorded.space().configuration(there.trials[best_trial(*other)].row));
    known.best.emplace_back();
    if (row && here.contains(*row)) known.best.back() = space.recorded.trial_of(*row);
  }
  return known;
}

// A strategy that does not use experience first tries the best configurations of the other files.
Visits search(const ScoreRequest& request, const std::string& name, const Space& space, const OtherSpaces& known,
              std::size_t repeat) {
  const auto strategy = make_strategy(name, space.recorded.space(), request.seed * seed_stride + repeat);
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < known.experiences.size(); ++i) {
    const std::optional<std::size_t> best = known.best[i];
    if (strategy->learn_from(known.experiences[i]) || !best) continue;
    if (std::find(first.begin(), first.end(), *best) == first.end()) first.push_back(*best);
  }
  return simulate(space.recorded, *strategy, extent_of(request, space), first);
}

}  // namespace

std::vector<Searches> run_searches(const ScoreRequest& request, const Spaces& spaces) {
  std::vector<Searches> all;
  for (const std::string& name : request.strategies) {
    all.push_back({name, std::vector<std::vector<Visits>>(spaces.size(), std::vector<Visits>(request.repeats))});
  }
  std::vector<OtherSpaces> known(spaces.size());
  for (std::size_t i = 0; request.warm && i < spaces.size(); ++i) known[i] = known_of(spaces, *spaces[i]);
  const std::size_t per_strategy = spaces.size() * request.repeats;
  for_each_index(all.size() * per_strategy, request.threads, [&](std::size_t i) {
    Searches& searches = all[i / per_strategy];
    const std::size_t space = i % per_strategy / request.repeats, repeat = i % request.repeats;
    searches.by_space[space][repeat] = search(request, searches.strategy, *spaces[space], known[space], repeat);
  });
  return all;
}

}  // namespace attune::cli
