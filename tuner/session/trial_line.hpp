// TrialLine: the way of a search's candidates through compilers and benches: their images are asked for, their attempts
// begin, benches try them, and their results are taken in the order in which they were sent. It knows no strategy and
// no rule for an end. One thread.
#pragma once

#include <functional>
#include <optional>

#include "session/session_parts.hpp"
#include "session/trial_queue.hpp"

namespace attune {

class TrialLine {
 public:
  using EndOfTrial = std::function<void(const Trial&)>;
  // `ended` is called with each new trial that has its verdict.
  TrialLine(SessionParts& parts, EndOfTrial ended) : on_(parts), ended_(std::move(ended)) {}

  // Asks for a configuration's image. If part of it cannot be resolved (a scalar that does not fit its type, an
  // undefined size), only this trial fails.
  void propose(const Configuration& configuration);

  // Waits for the next image. `in_waves`: for all images. Returns nothing once `is_over`, or if a trial was finished
  // instead.
  std::optional<CompiledInstance> take_image(bool in_waves, const std::function<bool()>& is_over);
  void take_turns(bool for_anchor);
  // Gives a compiled trial to a bench. With `is_alone`, nothing else will be under way before the trial ends. Returns
  // whether the bench has it now.
  bool start(CompiledInstance compiled, bool is_alone);
  // Has the attempts of the next trials made durable, beside the jobs that the benches have.
  void begin_ahead();

  // Returns how many trials there may be that were sent and not taken. It does not depend on speed.
  std::size_t window() const;
  // Returns whether a bench may be given a trial.
  bool has_place() const;
  bool is_empty() const { return queue_.empty(); }  // everything that was sent was taken
  // Waits until has_place(), or finishes what was sent first, if only that may make a place.
  void make_place();
  // Finishes what was sent first, and waits for it if necessary.
  void finish_oldest() { finish(queue_.begin()); }
  // Ends the turns if other tuners wait for one and nothing is under way.
  void give_way();

  // Takes back the attempts that nothing came of.
  void withdraw_begun();
  // Keeps what was tried by a failure. The trial during which a device was lost keeps its attempt.
  void settle_after_failure() noexcept;

  double compile_wait_seconds() const noexcept { return compile_wait_seconds_; }

 private:
  TrialBench& next_bench() const;
  bool is_full() const;
  bool take_result(double seconds, const std::atomic<int>& stop);
  Trial try_as_anchor(const QueuedTrial& queued);
  void begin_attempts(const Instance* first, bool is_alone);
  void give(QueuedTrial& queued, TrialBench& bench);
  void try_again_alone(QueuedTrial& queued);
  void lose_bench_of(QueuedTrial& queued);
  static std::string failure_text(const Result& result);
  void finish(TrialQueue::Position one);
  void finish(TrialBench& bench, const QueuedTrial& queued, Trial trial);
  void withdraw(bool keeps_first);

  SessionParts& on_;
  const EndOfTrial ended_;
  TrialQueue queue_;
  double compile_wait_seconds_ = 0;
};

}  // namespace attune
