// Search: the first stage of a session. It has proposals compiled ahead and tried, until a rule ends it. The strategy
// thinks while the device is at work. It learns results in the order in which trials were sent, at moments that do not
// depend on speed. One thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "attune/strategy.hpp"
#include "session/proposals.hpp"
#include "session/session_parts.hpp"
#include "session/trial_line.hpp"

namespace attune {

class Search {
 public:
  // `saved` is called now and then with the seconds that the session has used.
  Search(SessionParts& parts, Proposals& proposals, std::function<void(double)> saved);

  // Asks for the image of the default, so that it is compiled while the data are made. Call it before run().
  void ask_for_default() { ask_for_anchor(); }

  // Searches. Returns the rule that ended the search. Throws what the strategy throws, and Error for a broken
  // environment. Every verdict is durable at the end, even if it throws.
  Ending run();

  double seconds() const;  // of searching, in this run
  double compile_wait_seconds() const noexcept { return line_.compile_wait_seconds(); }

 private:
  void loop();
  void try_first();
  bool ask_for_anchor();
  void try_alone();
  void try_alone(const Configuration& configuration);
  void anchor_other_benches();
  std::string no_default_text() const;
  std::string long_compiles_text() const;
  void step();
  void think();
  bool wants_more(std::size_t asked) const;
  std::size_t most_under_way() const { return ahead_ + line_.window() - on_.bench().depth(); }
  std::optional<Ending> stop_reason() const;
  bool is_over() const;
  void finish_trial(const Trial& trial, bool from_log);
  void tell_strategy();
  std::size_t under_way() const noexcept { return on_.log.candidates().under_way(); }

  SessionParts& on_;
  Proposals& proposals_;
  const std::function<void(double)> saved_;
  TrialLine line_;
  unsigned threads_ = 1;   // of the compilers
  bool in_waves_ = false;  // compiling and trying alternate
  // Proposals under way beside those that wait for their turn to be taken, or images if several share one.
  std::size_t most_ahead_ = 1, ahead_ = 1;
  std::vector<Trial> untold_;
  std::size_t next_anchor_ = 0;  // position in the terms' anchors of the next one to ask for
  bool thought_ = false;         // the strategy was asked since an image was taken
  bool tried_first_ = false;
  std::optional<double> began_;  // when the search began, by the bench's clock
  double saved_seconds_ = 0;
};

}  // namespace attune
