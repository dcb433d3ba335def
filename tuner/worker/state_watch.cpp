#include "worker/state_watch.hpp"

#include <algorithm>
#include <utility>

#include "base/start_thread.hpp"

namespace attune {
namespace {

// How many readings are kept that nothing takes. Beyond this the oldest is dropped.
constexpr std::size_t most_kept = 1000;

// Other processes are looked for at one reading of so many, because they change more slowly than clocks.
constexpr int readings_per_look_at_users = 10;

bool has_readings(const DeviceState& state) {
  return state.sm_clock_mhz || state.memory_clock_mhz || state.temperature_c || state.power_w || state.energy_j ||
         state.throttle;
}

template <typename T>
void append(std::vector<T>& kept, T value) {
  if (kept.size() >= most_kept) kept.erase(kept.begin());
  kept.push_back(std::move(value));
}

}  // namespace

StateWatch::StateWatch(Instruments& instruments) : instruments_(instruments) {
  if (instruments.has_own_clock()) return;
  thread_ = start_thread<std::thread>([this] { read_for_ever(); });
}

StateWatch::~StateWatch() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void StateWatch::read_for_ever() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    const auto begin = std::chrono::steady_clock::now();
    lock.unlock();
    try {
      read();
    } catch (const std::exception&) {  // a library that is no NVML was already reported when the device was opened
      return;
    }
    lock.lock();
    const auto period = meters_ ? short_period : slow_period;
    const bool metered = meters_;
    changed_.wait_until(lock, begin + period, [&] { return ends_ || meters_ != metered; });
  }
}

void StateWatch::read() {
  DeviceState state = instruments_.state();
  const double now = instruments_.seconds();
  std::vector<std::string> users;
  if (!is_metering() && readings_++ % readings_per_look_at_users == 0) users = instruments_.other_users();
  const std::lock_guard lock(mutex_);
  for (std::string& user : users)
    if (std::find(watched_.users.begin(), watched_.users.end(), user) == watched_.users.end())
      watched_.users.push_back(std::move(user));
  if (state.sm_clock_mhz) append(clocks_, *state.sm_clock_mhz);
  if (meters_ && state.energy_j) energy_.push_back({now, *state.energy_j});
  if (has_readings(state)) append(watched_.states, std::move(state));
}

void StateWatch::follow_own_clock() {
  if (instruments_.has_own_clock()) read();
}

bool StateWatch::is_metering() {
  const std::lock_guard lock(mutex_);
  return meters_;
}

DeviceReadings StateWatch::take() {
  follow_own_clock();
  const std::lock_guard lock(mutex_);
  return std::exchange(watched_, {});
}

std::vector<double> StateWatch::last_clocks(std::size_t most) {
  const std::lock_guard lock(mutex_);
  return {clocks_.end() - static_cast<std::ptrdiff_t>(std::min(most, clocks_.size())), clocks_.end()};
}

void StateWatch::meter_energy() {
  {
    const std::lock_guard lock(mutex_);
    meters_ = true;
    energy_.clear();
  }
  changed_.notify_all();
}

std::vector<CounterReading> StateWatch::take_energy() {
  const std::lock_guard lock(mutex_);
  meters_ = false;
  return std::exchange(energy_, {});
}

}  // namespace attune
