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

// Cuts slots with the same plan into jobs of Protocol::ahead_seconds at most, or of one sample.
void InterleavedRounds::append(const std::vector<std::size_t>& slots, const std::vector<RoundColumn>& columns,
                               std::vector<RoundsPart>& parts) const {
  const double fitting = slot_seconds_ > 0 ? protocol_.ahead_seconds / slot_seconds_ : 1;
  const auto most = static_cast<std::size_t>(std::clamp(fitting, 1.0, 1e6));
  for (std::size_t begin = 0; begin < slots.size(); begin += most) {
    RoundsPart& part = parts.emplace_back();
    part.job.plan = plan_;
    part.job.plan.steps = columns[slots.front()].steps;
    for (std::size_t k = begin; k < std::min(begin + most, slots.size()); ++k) {
      part.job.slots.push_back(columns[slots[k]].instance);
      part.columns.push_back(slots[k]);
    }
  }
}

// A job has one plan. So the columns are grouped by their steps. The groups, and the columns in each, are in random
// order.
std::vector<InterleavedRounds::RoundsPart> InterleavedRounds::parts_of(const std::vector<RoundColumn>& columns,
                                                                       std::size_t rounds) {
  std::map<int, std::vector<std::size_t>> by_steps;
  for (std::size_t c = 0; c < columns.size(); ++c) by_steps[columns[c].steps].push_back(c);
  std::vector<std::vector<std::size_t>> groups;
  for (auto& [steps, group] : by_steps) groups.push_back(std::move(group));
  std::shuffle(groups.begin(), groups.end(), random_);
  std::vector<RoundsPart> parts;
  for (std::vector<std::size_t>& group : groups) {
    std::vector<std::size_t> slots;
    for (std::size_t r = 0; r < rounds; ++r) {
      std::shuffle(group.begin(), group.end(), random_);
      slots.insert(slots.end(), group.begin(), group.end());
    }
    append(slots, columns, parts);
  }
  return parts;
}

// Takes `rounds` rounds, or none if a sample fails or `stop` ends them.
std::optional<SampleFailure> InterleavedRounds::take(std::vector<RoundColumn>& columns, std::size_t rounds) {
  const std::vector<RoundsPart> parts = parts_of(columns, rounds);
  std::vector<std::vector<double>> times(columns.size());
  std::optional<SampleFailure> failure;
  std::size_t sent = 0, done = 0;
  const auto next = [&]() -> std::optional<DeviceJob> {
    if (sent == parts.size() || failure || stop_.load() > 0) return std::nullopt;
    return parts[sent++].job;
  };
  bench_.run_all(next, [&](const Result& result) {
    std::optional<SampleFailure> found = finish(parts[done++], result, times);
    if (!failure) failure = std::move(found);
  });
  if (failure || sent < parts.size()) return failure;
  for (std::size_t c = 0; c < columns.size(); ++c)
    columns[c].times_ns.insert(columns[c].times_ns.end(), times[c].begin(), times[c].end());
  return std::nullopt;
}

std::optional<SampleFailure> InterleavedRounds::finish(const RoundsPart& part, const Result& result,
                                                       std::vector<std::vector<double>>& times) {
  const Status status = status_in(result);
  if (!status.ok()) return SampleFailure{result.failed.value_or(part.job.slots.front()), status};
  const auto& sampled = std::get<RoundsAnswer>(result.answer);
  for (std::size_t k = 0; k < part.columns.size(); ++k)
    times[part.columns[k]].push_back(std::max(sampled.samples_ns[k], least_ns));
  return std::nullopt;
}

}  // namespace attune
