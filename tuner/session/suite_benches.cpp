#include "session/suite_benches.hpp"

#include <algorithm>
#include <limits>
#include <thread>

#include "base/await.hpp"
#include "base/start_thread.hpp"
#include "base/steady_seconds.hpp"

namespace attune {

SuiteBenches::SuiteBenches(std::span<const SuiteBench> benches, std::size_t problems)
    : benches_(benches.begin(), benches.end()),
      own_clock_(benches.front().pool.device().own_clock),
      begun_(steady_seconds()),
      states_(benches.size()),
      is_visited_(problems),
      free_at_(problems),
      failed_on_(problems) {
  for (std::size_t i = 0; i < size(); ++i) {
    benches_[i].pool.device();  // whose clock goes from now on
    states_[i].pool = benches_[i].pool.seconds();
  }
}

void SuiteBenches::run(const Next& next, const Visit& visit) {
  do {  // again for what a lost bench left when the others had ended
    has_lost_ = false;
    const double latest = std::ranges::max_element(states_, {}, &State::clock)->clock;
    for (State& state : states_) state = {latest, state.pool, state.is_lost, state.is_lost};
    if (size() == 1) {
      work(0, next, visit);
    } else {
      std::vector<std::jthread> threads;
      for (std::size_t bench = 0; bench < size(); ++bench)
        threads.push_back(start_thread<std::jthread>([&, bench] { work(bench, next, visit); }));
    }
  } while (has_lost_ && !error_);
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void SuiteBenches::run_each(std::span<const std::size_t> order, const Visit& visit) {
  std::vector<std::size_t> left(order.begin(), order.end());
  const Next next = [&left](const IsFree& is_free, double) -> std::optional<std::size_t> {
    const auto found = std::ranges::find_if(left, is_free);
    if (found == left.end()) return std::nullopt;
    const std::size_t problem = *found;
    left.erase(found);
    return problem;
  };
  run(next, [&](std::size_t problem, const SuiteBench& bench) {
    try {
      visit(problem, bench);
    } catch (const BenchAtFault&) {
      const std::lock_guard lock(mutex_);
      left.push_back(problem);
      throw;
    }
  });
}

void SuiteBenches::work(std::size_t bench, const Next& next, const Visit& visit) {
  State& state = states_[bench];
  std::unique_lock lock(mutex_);
  while (!error_ && !state.is_lost) {
    await(changed_, lock, [&] { return error_ || has_turn(bench); });
    const std::size_t seen = ended_;
    const auto is_free = [&](std::size_t problem) {
      if (is_visited_[problem] || (own_clock_ && free_at_[problem] > state.clock)) return false;
      return !failed_on_[problem].contains(bench) || !others_may_visit(problem, benches_[bench]);
    };
    const double now = own_clock_ ? state.clock : seconds();
    const std::optional<std::size_t> problem = error_ ? std::nullopt : next(is_free, now);
    if (problem) {
      visit_on(bench, *problem, visit, lock);
    } else if (at_work_ > 0) {
      await(changed_, lock, [&] { return error_ || ended_ != seen; });
    } else if (!own_clock_ || !waits_for_a_problem(state)) {
      break;
    }
    changed_.notify_all();
  }
  state.is_over = true;
  changed_.notify_all();
}

// Visits the problem without the mutex.
void SuiteBenches::visit_on(std::size_t bench, std::size_t problem, const Visit& visit,
                            std::unique_lock<std::mutex>& lock) {
  is_visited_[problem] = true;
  ++at_work_;
  lock.unlock();
  std::exception_ptr failed;
  std::optional<BenchAtFault> fault;
  try {
    visit(problem, benches_[bench]);
  } catch (const BenchAtFault& of_bench) {
    fault = of_bench;
  } catch (...) {
    failed = std::current_exception();
  }
  lock.lock();
  if (fault) {
    failed_on_[problem].insert(bench);
    has_lost_ |= states_[bench].is_lost = fault->is_lost;
    if (std::ranges::all_of(states_, &State::is_lost)) failed = fault->error;
  }
  if (failed && !error_) error_ = failed;
  end_visit(problem, bench);
}

bool SuiteBenches::others_may_visit(std::size_t problem, const SuiteBench& bench) const {
  for (std::size_t other = 0; other < size(); ++other)
    if (&benches_[other] != &bench && !states_[other].is_lost && !failed_on_[problem].contains(other)) return true;
  return false;
}

bool SuiteBenches::has_turn(std::size_t bench) const {
  if (!own_clock_) return true;
  const auto is_before = [&](const State& other) {
    return !other.is_over &&
           (other.clock < states_[bench].clock || (other.clock == states_[bench].clock && &other < &states_[bench]));
  };
  return at_work_ == 0 && std::ranges::none_of(states_, is_before);
}

// Moves a bench's clock on to when the next problem becomes free. Returns whether there is one.
bool SuiteBenches::waits_for_a_problem(State& state) const {
  double soonest = std::numeric_limits<double>::infinity();
  for (const double at : free_at_)
    if (at > state.clock) soonest = std::min(soonest, at);
  if (soonest == std::numeric_limits<double>::infinity()) return false;
  state.clock = soonest;
  return true;
}

void SuiteBenches::end_visit(std::size_t problem, std::size_t bench) {
  State& state = states_[bench];
  const double now = benches_[bench].pool.seconds();
  state.clock += now - std::exchange(state.pool, now);
  free_at_[problem] = state.clock;
  is_visited_[problem] = false;
  --at_work_;
  ++ended_;
}

double SuiteBenches::seconds() const {
  if (!own_clock_) return steady_seconds() - begun_;
  return std::ranges::max_element(states_, {}, &State::clock)->clock;
}

double SuiteBenches::busy_seconds() const {
  double seconds = 0;
  for (const SuiteBench& bench : benches_) seconds += bench.pool.figures().busy_seconds;
  return seconds;
}

}  // namespace attune
