#include "session/interleaved_rounds.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "measure/final_stage.hpp"
#include "measure/interleaved.hpp"

namespace attune {
namespace {

// Times are kept greater than 0, since ratios are made of them.
constexpr double least_ns = 1;

}  // namespace

InterleavedRounds::InterleavedRounds(Bench& bench, const TimingPlan& plan, const Protocol& protocol,
                                     const std::atomic<int>& stop)
    : bench_(bench), plan_(plan), protocol_(protocol), stop_(stop), begin_(bench.comparing_seconds()) {}

std::optional<SampleFailure> InterleavedRounds::run(std::vector<RoundColumn>& columns,
                                                    const std::function<double()>& half_width) {
  while (!columns.empty() && stop_.load() == 0) {
    const std::size_t done = columns.front().times_ns.size();
    const double seconds = bench_.comparing_seconds() - begin_;
    if (!needs_another_round(done, seconds, protocol_, half_width)) break;
    if (done > 0) slot_seconds_ = seconds / static_cast<double>(done * columns.size());
    if (auto failure = take(columns, rounds_ahead(done, seconds, protocol_))) return failure;
  }
  return std::nullopt;
}

// A job has one plan. So the columns are grouped by their steps. The groups, and the columns in each, are in random
// order. A job takes Protocol::ahead_seconds at most, or it is of one sample. `order` gets the column of each sample.
std::vector<Rounds> InterleavedRounds::jobs_of(const std::vector<RoundColumn>& columns, std::size_t rounds,
                                               std::vector<std::size_t>& order) {
  const double fitting = slot_seconds_ > 0 ? protocol_.ahead_seconds / slot_seconds_ : 1;
  std::map<int, std::vector<std::size_t>> by_steps;
  for (std::size_t c = 0; c < columns.size(); ++c) by_steps[columns[c].steps].push_back(c);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [steps, group] : by_steps) groups.push_back(std::move(group));
  std::shuffle(groups.begin(), groups.end(), random_);
  std::vector<Rounds> jobs;
  for (std::vector<std::size_t>& group : groups) {
    std::vector<InstanceId> slots;
    for (std::size_t r = 0; r < rounds; ++r) {
      std::shuffle(group.begin(), group.end(), random_);
      order.insert(order.end(), group.begin(), group.end());
      for (const std::size_t c : group) slots.push_back(columns[c].instance);
    }
    TimingPlan plan = plan_;
    plan.steps = columns[group.front()].steps;
    add_jobs(slots, plan, static_cast<std::size_t>(std::clamp(fitting, 1.0, 1e6)), jobs);
  }
  return jobs;
}

// Takes `rounds` rounds, or none if a sample fails or `stop` ends them.
std::optional<SampleFailure> InterleavedRounds::take(std::vector<RoundColumn>& columns, std::size_t rounds) {
  std::vector<std::size_t> order;
  SlotSamples samples = bench_.sample_in_turn(jobs_of(columns, rounds, order), 1);
  for (std::size_t k = 0; k < samples.samples_ns.size(); ++k)
    columns[order[k]].times_ns.push_back(std::max(samples.samples_ns[k], least_ns));
  return std::move(samples.failure);
}

}  // namespace attune
