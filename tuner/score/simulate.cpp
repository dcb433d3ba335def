#include "score/simulate.hpp"

#include <algorithm>
#include <string>

#include "attune/error.hpp"

namespace attune {
namespace {

SearchSpace space_or_error(const Recording& recording) {
  if (recording.trials.empty())
    throw UsageError(recording.source + ": holds no configuration; give a file with recorded rows");
  try {
    return space_of(recording);
  } catch (const UsageError& error) {
    throw UsageError(recording.source + ": " + error.what());
  }
}

// Appends visits and keeps their sums. Refuses a trial that was visited before.
class Tape {
 public:
  explicit Tape(const RecordedSpace& recorded) : recorded_(recorded), seen_(recorded.recording().trials.size()) {}

  bool add(std::size_t trial) {
    if (seen_[trial]) return false;
    seen_[trial] = true;
    cost_ += recorded_.cost(trial);
    const Outcome outcome = recorded_.outcome(trial);
    if (outcome.valid && (best_ == 0 || outcome.objective < best_)) best_ = outcome.objective;
    visits_.push_back({static_cast<std::uint32_t>(trial), cost_, best_});
    return true;
  }
  double cost() const { return cost_; }
  std::size_t size() const { return visits_.size(); }
  Visits take() { return std::move(visits_); }

 private:
  const RecordedSpace& recorded_;
  std::vector<bool> seen_;
  Visits visits_;
  double cost_ = 0, best_ = 0;
};

}  // namespace

RecordedSpace::RecordedSpace(const Recording& recording)
    : recording_(&recording), space_(space_or_error(recording)), trials_(recording.trials.size()) {
  for (std::size_t i = 0; i < recording.trials.size(); ++i) {
    trials_[static_cast<std::size_t>(*space_.index_of(recording.trials[i].row))] = static_cast<std::uint32_t>(i);
    costs_.push_back(recording.trials[i].cost_s());
    has_costs_ = has_costs_ || costs_.back() > 0;
  }
  if (!has_costs_) std::fill(costs_.begin(), costs_.end(), 1.0);
}

std::size_t RecordedSpace::trial_of(RowView row) const {
  const auto index = space_.index_of(row);
  if (!index) throw Error(recording_->source + ": a strategy proposed a configuration that is not recorded");
  return trials_[static_cast<std::size_t>(*index)];
}

Outcome RecordedSpace::outcome(std::size_t trial) const noexcept {
  const RecordedTrial& recorded = recording_->trials[trial];
  const bool valid = recorded.verdict == Verdict::ok;
  return {valid, valid ? recorded.median_ns : 0, recorded.cost_s()};
}

Visits simulate(const RecordedSpace& recorded, Strategy& strategy, const Extent& extent,
                const std::vector<std::size_t>& first) {
  Tape tape(recorded);
  auto next = first.begin();
  while (tape.size() < extent.most_evaluations && (tape.cost() < extent.cost || tape.size() < extent.evaluations)) {
    const std::optional<Row> row = next != first.end() ? recorded.recording().trials[*next++].row : strategy.ask();
    if (!row) break;
    const std::size_t trial = recorded.trial_of(*row);
    if (!tape.add(trial)) throw Error(recorded.recording().source + ": a strategy proposed a configuration twice");
    strategy.tell(*row, recorded.outcome(trial));
  }
  return tape.take();
}

Visits follow(const RecordedSpace& recorded, const std::vector<std::size_t>& trials) {
  Tape tape(recorded);
  const std::size_t rows = recorded.recording().trials.size();
  for (const std::size_t trial : trials) {
    if (trial >= rows)
      throw UsageError(recorded.recording().source + ": has rows 0 to " + std::to_string(rows - 1) + ", not " +
                       std::to_string(trial));
    tape.add(trial);
  }
  return tape.take();
}

}  // namespace attune
