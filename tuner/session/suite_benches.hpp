// SuiteBenches: the benches of a suite, each with a thread of its own, on which it visits one problem after the other.
// A bench visits what is free, so that slow problems hold up no other bench. Where devices have clocks of their own,
// the bench whose clock is the earliest goes next, and the others wait: so virtual time passes as real time would.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "db/wisdom_store.hpp"
#include "worker/pool.hpp"

namespace attune {

// A bench has a pool and a connection to the database of its own.
struct SuiteBench {
  Pool& pool;
  WisdomStore& store;
};

// What a visit throws if its bench may be at fault, and not the problem: another bench visits that problem then.
struct BenchAtFault {
  std::exception_ptr error;
  bool is_lost = false;  // the bench visits nothing more
};

class SuiteBenches {
 public:
  using IsFree = std::function<bool(std::size_t problem)>;
  // Returns a free problem that a bench visits next at this time, by seconds(), or nothing for now. It is called with
  // the mutex held.
  using Next = std::function<std::optional<std::size_t>(const IsFree&, double now)>;
  using Visit = std::function<void(std::size_t problem, const SuiteBench& bench)>;

  SuiteBenches(std::span<const SuiteBench> benches, std::size_t problems);

  std::size_t size() const noexcept { return benches_.size(); }
  const SuiteBench& first() const { return benches_.front(); }
  std::mutex& mutex() noexcept { return mutex_; }

  // Returns once no bench is at work and there is nothing for any. A single bench works on this thread. Throws the
  // first error of a visit, after the visits under way; of a bench at fault, only if all benches are lost.
  void run(const Next& next, const Visit& visit);
  // Visits each of the problems once, in this order.
  void run_each(std::span<const std::size_t> order, const Visit& visit);

  // Return whether a bench was at fault at the problem; whether another bench than this one is left that was not. Both
  // are called with the mutex held.
  bool has_failed(std::size_t problem) const { return !failed_on_[problem].empty(); }
  bool others_may_visit(std::size_t problem, const SuiteBench& bench) const;

  // Return the seconds since the construction, by the latest clock, and those in which devices worked at all.
  double seconds() const;
  double busy_seconds() const;

 private:
  struct State {
    double clock = 0;  // of the bench, with the time in which it had nothing to do
    double pool = 0;   // Pool::seconds() at that moment
    bool is_over = false;
    bool is_lost = false;
  };
  void work(std::size_t bench, const Next& next, const Visit& visit);
  void visit_on(std::size_t bench, std::size_t problem, const Visit& visit, std::unique_lock<std::mutex>& lock);
  bool has_turn(std::size_t bench) const;
  bool waits_for_a_problem(State& state) const;
  void end_visit(std::size_t problem, std::size_t bench);

  const std::vector<SuiteBench> benches_;
  const bool own_clock_;
  const double begun_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> states_;                     // by bench
  std::vector<bool> is_visited_;                  // by problem
  std::vector<double> free_at_;                   // by problem: the clock at which its last visit ended
  std::vector<std::set<std::size_t>> failed_on_;  // by problem: benches that were at fault
  std::size_t at_work_ = 0, ended_ = 0;           // visits
  bool has_lost_ = false;                         // a bench, in this run
  std::exception_ptr error_;
};

}  // namespace attune
