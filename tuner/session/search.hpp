// Search: the first stage of a session: proposals are compiled ahead, tried on the bench and logged, until a rule ends
// it. The strategy thinks while the device is at work. It learns results in the order in which trials went to the
// bench, at moments that do not depend on speed. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "attune/strategy.hpp"
#include "session/proposals.hpp"
#include "session/session_parts.hpp"

namespace attune {

class Search {
 public:
  // `saved`: called with the seconds that the session has used, now and then.
  Search(SessionParts& parts, Proposals& proposals, std::function<void(double)> saved);

  // Asks for the image of the default: it is compiled while the data are made. Before run().
  void ask_for_default() { ask_for_anchor(); }

  // Returns the rule that ended it. Every verdict is durable then, also when it throws: what a strategy throws, or
  // Error for a broken environment.
  StopReason run();

  double seconds() const;  // of this run
  double compile_wait_seconds() const noexcept { return compile_wait_seconds_; }

 private:
  // What the device's queue holds: a trial, or the anchor to be timed.
  struct Sent {
    Ticket ticket = 0;
    std::shared_ptr<const Instance> instance;  // null: the anchor
    CompileOutcome outcome;
    bool is_alone = false, has_attempt = false;
  };
  void loop();
  bool ask_for_anchor();
  void try_first();
  void tell_of_anchor() const;
  void try_alone();
  void note_long_compiles() const;
  void step();
  bool is_wave() const;
  void think();
  bool wants_more(std::size_t asked) const;
  // Returns how many trials are sent at once at most.
  std::size_t depth() const;
  std::optional<StopReason> stop_reason() const;
  void propose(const Configuration& configuration);
  bool is_over() const;
  bool take_result(double seconds);
  std::optional<CompiledInstance> take_image();
  void start(CompiledInstance compiled, bool is_alone);
  Trial try_as_anchor(const Sent& sent, int attempt);
  bool begin_attempts(const Instance* first, bool is_alone);
  Result wait_for(Ticket ticket);
  void finish_front();
  void finish_trial(const Trial& trial, bool from_log);
  void finish_tried(const Sent& sent, Trial trial);
  void tell_strategy();
  void withdraw_from(std::size_t first);
  void settle_after_failure() noexcept;

  SessionParts& on_;
  Proposals& proposals_;
  const std::function<void(double)> saved_;
  const CompilerOpened& compiler_;
  unsigned threads_ = 1;                    // of the compiler
  std::size_t most_ahead_ = 1, ahead_ = 1;  // proposals in the pipeline, or images where several share one
  std::map<InstanceId, std::shared_ptr<const Instance>> under_way_;
  std::map<InstanceId, int> begun_;  // attempts with their numbers, before these trials are sent
  std::deque<Sent> sent_;
  std::map<Ticket, Result> arrived_;
  std::vector<Trial> untold_;
  std::size_t next_anchor_ = 0;  // of the terms' anchors, to be asked for
  bool thought_ = false;         // since an image was taken
  bool tried_first_ = false;
  std::optional<double> began_;  // by the bench's clock
  double compile_wait_seconds_ = 0, saved_seconds_ = 0;
};

}  // namespace attune
