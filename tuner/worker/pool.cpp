#include "worker/pool.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr double stop_interval = 0.05;  // `stop` is looked at so often, because a signal's handler can wake no thread

}  // namespace

Pool::Pool(Workers& workers)
    : workers_(workers), lane_(std::make_unique<DeviceLane>(workers.device_worker(), [this](Result result) {
        deliver_of_device(std::move(result));
      })) {}

Pool::Pool(Workers& workers, DeviceInfo compiled_for) : Pool(workers) { compiled_for_ = std::move(compiled_for); }

bool Pool::has_lost_device() {
  const std::lock_guard lock(mutex_);
  return lost_device_;
}

// The lanes end before the objects that they deliver to.
Pool::~Pool() {
  compile_lanes_.reset();
  lane_.reset();
}

void Pool::deliver(Result result) {
  {
    const std::lock_guard lock(mutex_);
    results_.push_back(std::move(result));
  }
  changed_.notify_all();
}

void Pool::deliver_of_device(Result result) {
  {
    const std::lock_guard lock(mutex_);
    at_device_.erase(result.ticket);
    if (result.error) {
      lost_device_ = true;
      dropped_.merge(at_device_);
      at_device_.clear();
    }
    results_.push_back(std::move(result));
  }
  changed_.notify_all();
}

const DeviceOpened& Pool::device() {
  if (opened_) return *opened_;
  Result result = run(OpenDevice{});
  if (const auto* failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  opened_ = std::get<DeviceOpened>(std::move(result.answer));
  return *opened_;
}

const CompilerOpened& Pool::compiler() {
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

Ticket Pool::submit(DeviceJob job) {
  const Ticket ticket = ++last_;
  {
    const std::lock_guard lock(mutex_);
    if (std::holds_alternative<Begin>(job)) lost_device_ = false;
    at_device_.insert(ticket);
  }
  lane_->submit(ticket, std::visit([](auto& held) { return Job(std::move(held)); }, job));
  return ticket;
}

Ticket Pool::submit(ImageRequest request) {
  const Ticket ticket = ++last_;
  compiler();
  compile_lanes_->submit(ticket, std::move(request));
  return ticket;
}

Result Pool::taken(Result result) {
  if (result.error) std::rethrow_exception(result.error);
  if (result.seconds > 0) seconds_ = result.seconds;
  return result;
}

std::optional<Result> Pool::next(const std::atomic<int>& stop, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  while (results_.empty()) {
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (stop.load() > 0 || left <= 0) return std::nullopt;
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(left, stop_interval)));
  }
  Result result = std::move(results_.front());
  results_.pop_front();
  lock.unlock();
  return taken(std::move(result));
}

Result Pool::wait(Ticket ticket) { return *wait(ticket, never, forever); }

std::optional<Result> Pool::wait(Ticket ticket, const std::atomic<int>& stop, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(results_.begin(), results_.end(), [&](const Result& one) { return one.ticket == ticket; });
  };
  const auto is_error = [](const Result& one) { return one.error != nullptr; };
  while (!dropped_.contains(ticket) && find() == results_.end()) {
    const double left = seconds - std::chrono::duration<double>(Clock::now() - begin).count();
    if (stop.load() > 0 || left <= 0) return std::nullopt;
    changed_.wait_for(lock, std::chrono::duration<double>(std::min(left, stop_interval)));
  }
  auto found = find();
  if (found == results_.end()) found = std::find_if(results_.begin(), results_.end(), is_error);
  if (found == results_.end())
    throw Error("the device worker failed at an earlier job, and this one was dropped: the error of that job says why");
  Result result = std::move(*found);
  results_.erase(found);
  lock.unlock();
  return taken(std::move(result));
}

void Pool::abandon_device_jobs() {
  lane_->abandon();
  const std::lock_guard lock(mutex_);
  dropped_.insert(at_device_.begin(), at_device_.end());
  at_device_.clear();
}

CompileOutcome Pool::compile(const ImageRequest& request) {
  Result result = wait(submit(request));
  return std::move(std::get<ImagesCompiled>(result.answer).outcomes.front());
}

void Pool::cancel_compiles() {
  if (!compile_lanes_) return;
  compile_lanes_->cancel();
  const std::lock_guard lock(mutex_);
  std::erase_if(results_, [](const Result& result) {
    return std::holds_alternative<ImagesCompiled>(result.answer) && !result.error;
  });
}

double Pool::seconds() const {
  if (opened_ && opened_->own_clock) return seconds_;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace attune
