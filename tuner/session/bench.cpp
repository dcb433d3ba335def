#include "session/bench.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "attune/error.hpp"
#include "measure/statistics.hpp"

namespace attune {
namespace {

constexpr std::size_t most_under_way = 2;
constexpr int measurements_for_batch = 2;

}  // namespace

Bench::Bench(Pool& pool, LaneId lane, const std::filesystem::path& lock_folder, WaitNote waits, Observer& observer,
             const std::atomic<int>& stop)
    : pool_(pool),
      lane_(lane),
      stop_(stop),
      opened_(pool.device(lane)),
      observer_(observer),
      lock_(opened_.own_clock ? std::filesystem::path() : lock_folder, lock_name(opened_.info), std::move(waits)),
      turn_(lock_, stop),
      watch_(observer, !lock_folder.empty()) {}

Result Bench::noted(Result result) {
  has_failed_ |= fails(result);
  if (result.error) std::rethrow_exception(result.error);
  for (const std::string& text : std::exchange(result.notes, {})) observer_.note(text);
  lost_seconds_ += result.lost_seconds;
  watch_.see(result.watched);
  return result;
}

Result Bench::wait(Ticket ticket) {
  Result result = noted(pool_.wait(ticket));
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  return result;
}

std::optional<Result> Bench::run_within(DeviceJob job, double seconds, double grace) {
  const Ticket ticket = submit(std::move(job));
  std::optional<Result> result = pool_.wait(ticket, stop_, seconds);
  if (!result && stop_.load() > 0 && grace > 0) result = pool_.wait(ticket, Pool::never, grace);
  if (!result) {
    pool_.abandon_device_jobs(lane_);
    return std::nullopt;
  }
  Result done = noted(*std::move(result));
  if (const auto* failure = std::get_if<Failure>(&done.answer)) throw_failure(*failure);
  return done;
}

void Bench::run_all(const std::function<std::optional<DeviceJob>()>& next, const std::function<void(Result)>& done) {
  std::deque<Ticket> under_way;
  for (;;) {
    while (under_way.size() < most_under_way) {
      std::optional<DeviceJob> job = next();
      if (!job) break;
      under_way.push_back(submit(*std::move(job)));
    }
    if (under_way.empty()) return;
    Result result = noted(pool_.wait(under_way.front()));
    under_way.pop_front();
    done(std::move(result));
  }
}

SlotSamples Bench::sample_in_turn(std::span<const Rounds> jobs, int ends_at) {
  SlotSamples sampled;
  std::size_t sent = 0, done = 0;
  const auto next = [&]() -> std::optional<DeviceJob> {
    if (sampled.failure || sent == jobs.size() || stop_.load() >= ends_at) return std::nullopt;
    return jobs[sent++];
  };
  run_all(next, [&](Result result) {
    const Rounds& job = jobs[done++];
    if (sampled.failure) return;
    if (const Status status = status_in(result); status.ok()) {
      const std::vector<double>& samples = std::get<RoundsAnswer>(result.answer).samples_ns;
      sampled.samples_ns.insert(sampled.samples_ns.end(), samples.begin(), samples.end());
    } else {
      sampled.failure = SampleFailure{result.failed.value_or(job.slots.front()), status, std::move(result)};
    }
  });
  if (sampled.failure || sent < jobs.size()) sampled.samples_ns.clear();
  return sampled;
}

std::optional<Result> find_batch(const RunJob& run, InstanceId instance, const DeviceFacts& opened,
                                 const Protocol& protocol, TimingPlan& plan) {
  plan.batch = 1;
  if (plan.regime != Regime::stream || opened.own_clock) return std::nullopt;
  for (int i = 0; i < measurements_for_batch; ++i) {
    Result result = run(rounds_of(instance, protocol.anchor_samples, plan));
    if (!status_in(result).ok()) return result;
    plan.batch = batch_for(median(std::get<RoundsAnswer>(result.answer).samples_ns), protocol);
  }
  return std::nullopt;
}

Rounds rounds_of(InstanceId instance, int count, const TimingPlan& plan) {
  return {std::vector<InstanceId>(static_cast<std::size_t>(count), instance), plan};
}

void add_jobs(std::span<const InstanceId> slots, const TimingPlan& plan, std::size_t in_job,
              std::vector<Rounds>& jobs) {
  for (std::size_t begin = 0; begin < slots.size(); begin += in_job) {
    const std::span<const InstanceId> part = slots.subspan(begin, std::min(in_job, slots.size() - begin));
    jobs.push_back({{part.begin(), part.end()}, plan});
  }
}

Status status_in(const Result& result) {
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  const Status* const status = status_of(result.answer);
  return status == nullptr ? Status{} : *status;
}

}  // namespace attune
