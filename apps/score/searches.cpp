#include "searches.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "score/experience.hpp"
#include "score/fractions.hpp"

namespace attune::cli {
namespace {

// Repeats of nearby seeds share none.
constexpr std::uint64_t kSeedStride = 1'000'003;

// Far enough for the methodology's score and for the fractions.
Extent extent_of(const ScoreRequest& request, const Space& space) {
  Extent extent;
  if (space.statistics.span) extent.cost = space.statistics.span->budget();
  extent.evaluations = kFractionEvaluations.back();
  if (request.most_evaluations) extent.most_evaluations = *request.most_evaluations;
  return extent;
}

std::size_t best_trial(const Space& space) {
  std::size_t trial = 0;
  while (!space.recorded.outcome(trial).valid || space.recorded.outcome(trial).objective > space.statistics.optimum())
    ++trial;
  return trial;
}

// What is known of the space of one file from the other files of its kernel.
struct Known {
  std::vector<Experience> experiences;
  std::vector<std::size_t> best;  // the trial here that is the best there, by experience
};

Known known_of(const Spaces& spaces, const Space& space) {
  Known known;
  const SearchSpace& here = space.recorded.space();
  for (const auto& other : spaces) {
    const Recording& there = other->recording;
    if (there.kernel != space.recording.kernel || there.device == space.recording.device) continue;
    const auto row = here.row_of(other->recorded.space().configuration(there.trials[best_trial(*other)].row));
    if (!row || !here.contains(*row)) continue;
    known.experiences.push_back(experience_of(other->recorded, here));
    known.best.push_back(space.recorded.trial_of(*row));
  }
  return known;
}

// A strategy that makes nothing of experience tries the best configurations of the others first.
Visits search(const ScoreRequest& request, const std::string& name, const Space& space, const Known& known,
              std::size_t repeat) {
  const auto strategy = make_strategy(name, space.recorded.space(), request.seed * kSeedStride + repeat);
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < known.experiences.size(); ++i) {
    const bool there = std::find(first.begin(), first.end(), known.best[i]) != first.end();
    if (!strategy->learn_from(known.experiences[i]) && !there) first.push_back(known.best[i]);
  }
  return simulate(space.recorded, *strategy, extent_of(request, space), first);
}

}  // namespace

std::vector<Searches> run_searches(const ScoreRequest& request, const Spaces& spaces) {
  std::vector<Searches> all;
  for (const std::string& name : request.strategies) {
    all.push_back({name, std::vector<std::vector<Visits>>(spaces.size(), std::vector<Visits>(request.repeats))});
  }
  std::vector<Known> known(spaces.size());
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
