#include "worker/pool.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"
#include "base/steady_seconds.hpp"

namespace attune {
namespace {

constexpr double stop_interval = 0.05;  // `stop` is looked at so often, because a signal's handler can wake no thread

// A strand whose time is over looks so often whether another runs.
constexpr double strand_interval = 0.001;

}  // namespace

Pool::Pool(Workers& workers) : workers_(workers), devices_(workers.device_workers()) {
  for (LaneId lane = 0; lane < devices_.size(); ++lane)
    devices_[lane].lane = std::make_unique<DeviceLane>(workers.device_worker(lane),
                                                       [this](Result result) { deliver(std::move(result)); });
}

Pool::Pool(Workers& workers, DeviceInfo compiled_for) : Pool(workers) { compiled_for_ = std::move(compiled_for); }

// The lanes end before the objects that they deliver to.
Pool::~Pool() {
  compile_lanes_.reset();
  for (DeviceOfLane& device : devices_) device.lane.reset();
}

void Pool::set_deaths_to_verdict(int deaths) {
  for (DeviceOfLane& device : devices_) device.lane->set_deaths_to_verdict(deaths);
}

bool Pool::has_lost_device(LaneId lane) {
  const std::lock_guard lock(mutex_);
  return devices_.at(lane).lost != nullptr;
}

bool Pool::has_own_clock() const { return devices_.front().opened && devices_.front().opened->own_clock; }

// Gives a result to whoever waits for it. A device with a clock of its own begins a job when the job was submitted and
// the one before has ended, so that it may have been idle.
void Pool::deliver(Result result) {
  {
    std::map<Ticket, double> behind;
    const std::lock_guard lock(mutex_);
    if (result.ticket.lane != compile_lane) {
      DeviceOfLane& device = devices_[result.ticket.lane];
      const auto job = device.jobs.extract(result.ticket);
      if (device.opened && device.opened->own_clock) {
        if (job) device.idle = std::max(device.idle, job.mapped() - device.clock);
        device.clock = result.seconds;
        result.seconds += device.idle;
      }
      if (result.error) {
        device.lost = result.error;
        behind = std::exchange(device.jobs, {});
      }
    }
    const Result& added = results_.emplace_back(std::move(result));
    const double seconds = added.seconds;
    const std::exception_ptr error = added.error;
    for (const auto& [ticket, submitted] : behind) fail(ticket, error, seconds);
  }
  changed_.notify_all();
}

const DeviceFacts& Pool::device(LaneId lane) {
  std::optional<DeviceFacts>& opened = devices_.at(lane).opened;
  if (opened) return *opened;
  Result result = run(OpenDevice{}, lane);
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  apply_aliases(std::get<DeviceFacts>(result.answer).info, aliases_);
  return opened.emplace(std::get<DeviceFacts>(std::move(result.answer)));
}

void Pool::set_aliases(std::vector<DeviceAlias> aliases) {
  aliases_ = std::move(aliases);
  for (DeviceOfLane& device : devices_)
    if (device.opened) apply_aliases(device.opened->info, aliases_);
}

const CompilerFacts& Pool::compiler() {
  if (!compile_lanes_) {
    const DeviceInfo info = compiled_for_ ? *compiled_for_ : device().info;
    compile_lanes_ = std::make_unique<CompileLanes>([this, info] { return workers_.compile_worker(info); },
                                                    [this](Result result) { deliver(std::move(result)); });
    compile_lanes_->set_most(compilers_);
  }
  return compile_lanes_->opened();
}

void Pool::set_compilers(unsigned most) {
  compilers_ = std::max(1u, most);
  if (compile_lanes_) compile_lanes_->set_most(compilers_);
}

void Pool::start_compilers() {
  if (!compiler().disturbs_timing) compile_lanes_->start_all();
}

Ticket Pool::submit(DeviceJob job, LaneId lane) {
  DeviceOfLane& device = devices_.at(lane);
  const Ticket ticket{lane, ++last_};
  {
    const std::lock_guard lock(mutex_);
    if (std::holds_alternative<Begin>(job) && std::exchange(device.lost, nullptr))
      std::erase_if(results_, [lane](const Result& one) { return one.ticket.lane == lane && one.error; });
    if (device.lost) {  // no worker knows the problem
      fail(ticket, device.lost, now_);
      return ticket;
    }
    device.jobs.emplace(ticket, now_);
  }
  device.lane->submit(ticket, std::visit([](auto& held) { return Job(std::move(held)); }, job));
  return ticket;
}

// Adds the result of a job that is not done, with the mutex held.
void Pool::fail(Ticket ticket, const std::exception_ptr& error, double seconds) {
  Result& failed = results_.emplace_back();
  failed.ticket = ticket;
  failed.error = error;
  failed.seconds = seconds;
}

Ticket Pool::submit(ImageRequest request) {
  const Ticket ticket{compile_lane, ++last_};
  compiler();
  compile_lanes_->submit(ticket, std::move(request));
  return ticket;
}

// Waits until something is there, while other strands run. Returns false once `stop` is not 0, or after `seconds`.
template <typename Condition>
bool Pool::wait_until(std::unique_lock<std::mutex>& lock, const std::atomic<int>& stop, double seconds,
                      const Condition& is_there) {
  const Strands::Pause pause(strands_);
  for (const double end = steady_seconds() + seconds;;) {
    const bool may_go_on = strands_.may_go_on();
    if (may_go_on && is_there()) return true;
    const double left = end - steady_seconds();
    if (may_go_on && (stop.load() > 0 || left <= 0)) return false;
    changed_.wait_for(lock, std::chrono::duration<double>(std::clamp(left, strand_interval, stop_interval)));
  }
}

// Returns the next result: the first to arrive. Of devices with clocks of their own it is the first by these, which is
// known once each lane that has jobs has a result. Returns the end while there is none.
std::deque<Result>::iterator Pool::first_result() {
  if (lanes() == 1 || !has_own_clock()) return results_.begin();
  std::set<LaneId> seen;
  auto first = results_.end();
  for (auto one = results_.begin(); one != results_.end(); ++one) {
    if (one->ticket.lane == compile_lane) return one;
    seen.insert(one->ticket.lane);
    const auto order = [](const Result& result) { return std::pair(result.seconds, result.ticket.lane); };
    if (first == results_.end() || order(*one) < order(*first)) first = one;
  }
  for (LaneId lane = 0; lane < lanes(); ++lane)
    if (!devices_[lane].jobs.empty() && !seen.contains(lane)) return results_.end();
  return first;
}

std::deque<Result>::iterator Pool::find(Ticket ticket) {
  return std::find_if(results_.begin(), results_.end(), [&](const Result& one) { return one.ticket == ticket; });
}

// Returns whether the strand that waits for this result goes on before the others. With clocks of the devices' own
// their order decides, which is known once all of these results are there.
bool Pool::is_first_awaited(Ticket ticket) {
  if (awaited_.size() == 1 || !has_own_clock()) return true;
  const auto order = [this](Ticket one) {
    const auto result = find(one);
    return result == results_.end() ? std::pair(0.0, one) : std::pair(result->seconds, one);
  };
  return std::all_of(awaited_.begin(), awaited_.end(), [&](Ticket one) {
    return (dropped_.contains(one) || find(one) != results_.end()) && order(ticket) <= order(one);
  });
}

Result Pool::take(std::deque<Result>::iterator at, std::unique_lock<std::mutex>& lock) {
  Result result = std::move(*at);
  results_.erase(at);
  if (has_own_clock()) now_ = std::max(now_, result.seconds);
  lock.unlock();
  return result;
}

std::optional<Result> Pool::next(const std::atomic<int>& stop, double seconds) {
  std::unique_lock lock(mutex_);
  if (!wait_until(lock, stop, seconds, [this] { return first_result() != results_.end(); })) return std::nullopt;
  Result result = take(first_result(), lock);
  if (result.error && result.ticket.lane == compile_lane) std::rethrow_exception(result.error);
  return result;
}

Result Pool::wait(Ticket ticket) { return *wait(ticket, never, forever); }

std::optional<Result> Pool::wait(Ticket ticket, const std::atomic<int>& stop, double seconds) {
  std::unique_lock lock(mutex_);
  const auto is_there = [&] {
    return (dropped_.contains(ticket) || find(ticket) != results_.end()) && is_first_awaited(ticket);
  };
  awaited_.push_back(ticket);
  const bool is_over = !wait_until(lock, stop, seconds, is_there);
  std::erase(awaited_, ticket);
  if (is_over) return std::nullopt;
  const auto found = find(ticket);
  if (found == results_.end()) throw Error("the job was dropped before it had a result");
  Result result = take(found, lock);
  if (result.error) std::rethrow_exception(result.error);
  return result;
}

void Pool::abandon_device_jobs(LaneId lane) {
  DeviceOfLane& device = devices_.at(lane);
  device.lane->abandon();
  const std::lock_guard lock(mutex_);
  for (const auto& [ticket, submitted] : std::exchange(device.jobs, {})) dropped_.insert(ticket);
}

CompileOutcome Pool::compile(const ImageRequest& request) {
  Result result = wait(submit(request));
  return std::move(std::get<CompileAnswer>(result.answer).outcomes.front());
}

void Pool::cancel_compiles() {
  if (!compile_lanes_) return;
  compile_lanes_->cancel();
  const std::lock_guard lock(mutex_);
  std::erase_if(results_, [](const Result& result) {
    return std::holds_alternative<CompileAnswer>(result.answer) && !result.error;
  });
}

double Pool::seconds() const { return has_own_clock() ? now_ : steady_seconds(); }

LaneFigures Pool::figures() const {
  LaneFigures all;
  for (const DeviceOfLane& device : devices_) {
    const LaneFigures own = device.lane->figures();
    all.replaced += own.replaced;
    all.busy_seconds += own.busy_seconds;
    all.timed_seconds += own.timed_seconds;
  }
  return all;
}

}  // namespace attune
