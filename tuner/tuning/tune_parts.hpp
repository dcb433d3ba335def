// What tuning kernels and tuning callables share inside a program.
#pragma once

#include "attune/tune.hpp"
#include "session/observer.hpp"
#include "session/session.hpp"

namespace attune {

// Tells the listeners of `options`, which must outlive it.
class ListenerObserver final : public Observer {
 public:
  explicit ListenerObserver(const TuneOptions& options) : options_(options) {}
  void trial_done(const Trial& trial, const Progress& progress) override;
  void note(const std::string& text) override;

 private:
  const TuneOptions& options_;
};

// Fills in what the options say of any session, and the folder of locks.
void fill_request(Effort effort, const TuneOptions& options, SessionRequest& request);

// Returns what is known, as the result of a session that did not search.
TuneResult estimate_of(Match match);

// Returns the result for the program, after its listener was told of a new record.
TuneResult result_of(SessionResult session, const TuneOptions& options);

}  // namespace attune
