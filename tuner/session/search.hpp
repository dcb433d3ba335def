// Search: the first stage of a session. It compiles proposals ahead, tries them on the bench and logs them, until a
// rule ends it. The strategy thinks while the device is at work. It learns results in the order in which trials went to
// the bench, at moments that do not depend on speed. One thread.
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
  // `saved` is called now and then with the seconds that the session has used.
  Search(SessionParts& parts, Proposals& proposals, std::function<void(double)> saved);

  // Asks for the image of the default, so that it is compiled while the data are made. Call it before run().
  void ask_for_default() { ask_for_anchor(); }

  // Searches. Returns the rule that ended the search. Throws what the strategy throws, and Error for a broken
  // environment. Every verdict is durable at the end, even if it throws.
  StopReason run();

  double seconds() const;  // of searching, in this run
  double compile_wait_seconds() const noexcept { return compile_wait_seconds_; }

 private:
  // What the device's queue holds: a trial, or a timing of the anchor.
  struct Sent {
    Ticket ticket;
    std::shared_ptr<const Instance> instance;  // null for a timing of the anchor
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
  // Returns how many trials may be sent at once.
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
  unsigned threads_ = 1;                    // of the compilers
  std::size_t most_ahead_ = 1, ahead_ = 1;  // proposals under way, or images if several share one
  std::map<InstanceId, std::shared_ptr<const Instance>> under_way_;
  std::map<InstanceId, int> begun_;  // attempts that have begun, with their numbers, until their trials are sent
  std::deque<Sent> sent_;
  std::map<Ticket, Result> arrived_;
  std::vector<Trial> untold_;
  std::size_t next_anchor_ = 0;  // position in the terms' anchors of the next one to ask for
  bool thought_ = false;         // the strategy was asked since an image was taken
  bool tried_first_ = false;
  std::optional<double> began_;  // when the search began, by the bench's clock
  double compile_wait_seconds_ = 0, saved_seconds_ = 0;
};

}  // namespace attune
