#include "worker/pool.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"
#include "base/steady_seconds.hpp"

namespace attune {
namespace {

constexpr double stop_interval = 0.05;  // `stop` is looked at so often, because a signal's handler can wake no thread

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
  return devices_.at(lane).is_lost;
}

void Pool::deliver(Result result) {
  {
    const std::lock_guard lock(mutex_);
    if (result.ticket.lane != compile_lane) {
      DeviceOfLane& device = devices_[result.ticket.lane];
      device.jobs.erase(result.ticket);
      device.is_lost |= result.error != nullptr;
    }
    const LaneId lane = result.ticket.lane;
    const std::exception_ptr error = result.error;
    results_.push_back(std::move(result));
    if (error && lane != compile_lane)
      for (const Ticket behind : std::exchange(devices_[lane].jobs, {})) results_.emplace_back(behind).error = error;
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
    if (std::holds_alternative<Begin>(job) && std::exchange(device.is_lost, false))
      std::erase_if(results_, [lane](const Result& one) { return one.ticket.lane == lane && one.error; });
    device.jobs.insert(ticket);
  }
  device.lane->submit(ticket, std::visit([](auto& held) { return Job(std::move(held)); }, job));
  return ticket;
}

Ticket Pool::submit(ImageRequest request) {
  const Ticket ticket{compile_lane, ++last_};
  compiler();
  compile_lanes_->submit(ticket, std::move(request));
  return ticket;
}

// Waits until something is there. Returns false once `stop` is not 0, or after `seconds`.
template <typename Condition>
bool Pool::wait_until(std::unique_lock<std::mutex>& lock, const std::atomic<int>& stop, double seconds,
                      const Condition& is_there) {
  for (const double end = steady_seconds() + seconds; !is_there();) {
    const double left = end - steady_seconds();
    if (stop.load() > 0 || left <= 0) return false;
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(left, stop_interval)));
  }
  return true;
}

Result Pool::take(std::deque<Result>::iterator at, std::unique_lock<std::mutex>& lock) {
  Result result = std::move(*at);
  results_.erase(at);
  lock.unlock();
  if (result.seconds > 0) devices_.at(result.ticket.lane).seconds = result.seconds;
  return result;
}

std::optional<Result> Pool::next(const std::atomic<int>& stop, double seconds) {
  std::unique_lock lock(mutex_);
  if (!wait_until(lock, stop, seconds, [this] { return !results_.empty(); })) return std::nullopt;
  Result result = take(results_.begin(), lock);
  if (result.error && result.ticket.lane == compile_lane) std::rethrow_exception(result.error);
  return result;
}

Result Pool::wait(Ticket ticket) { return *wait(ticket, never, forever); }

std::optional<Result> Pool::wait(Ticket ticket, const std::atomic<int>& stop, double seconds) {
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(results_.begin(), results_.end(), [&](const Result& one) { return one.ticket == ticket; });
  };
  const auto is_there = [&] { return dropped_.contains(ticket) || find() != results_.end(); };
  if (!wait_until(lock, stop, seconds, is_there)) return std::nullopt;
  const auto found = find();
  if (found == results_.end()) throw Error("the job was dropped before it had a result");
  Result result = take(found, lock);
  if (result.error) std::rethrow_exception(result.error);
  return result;
}

void Pool::abandon_device_jobs(LaneId lane) {
  DeviceOfLane& device = devices_.at(lane);
  device.lane->abandon();
  const std::lock_guard lock(mutex_);
  dropped_.merge(device.jobs);
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

double Pool::seconds(LaneId lane) const {
  const DeviceOfLane& device = devices_.at(lane);
  return device.opened && device.opened->own_clock ? device.seconds : steady_seconds();
}

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
