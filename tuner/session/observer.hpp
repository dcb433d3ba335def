// Observer: receives the events of a running session. The library never prints; the command line prints from an
// Observer. All functions are called one at a time, on the session's thread; with several benches on others, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "core/record.hpp"
#include "core/trial.hpp"
#include "measure/final_stage.hpp"

namespace attune {

struct SessionStart {
  std::string kernel;
  Problem problem;
  DeviceInfo device;
  Effort effort = Effort::measure;
  std::string strategy;
  std::uint64_t seed = 0;
  SpaceSize legal = 0, cartesian = 0;
  std::vector<std::string> uncounted;   // rules that outgrew the space's budget; if any, `legal` is an upper bound
  Configuration default_configuration;  // what is tried first: the first of SessionTerms::anchors
  bool narrowed = false;                // the session searches a part of the kernel's space
  std::int64_t trials_before = 0;       // of the session that goes on
  std::size_t ladder_steps = 0;         // of the kernel's ladders, which are tried next
  std::size_t warm_start = 0;           // configurations from wisdom, which are tried after these
  std::size_t learnt_from = 0;          // sessions elsewhere from whose trials the strategy learns
  std::string toolchain;
  bool self_checked = false;
};

struct Progress {
  std::int64_t trials = 0;  // including those of the session that goes on
  std::int64_t survivors = 0;
  double seconds = 0;
  std::optional<double> seconds_limit;
  std::optional<std::int64_t> trials_limit;
  double default_ns = 0;  // time of the latest anchor; 0 while there is none
  Configuration anchor;   // the default, or the first values left if it failed in a narrowed space
  double best_ns = 0;     // scaled to the latest anchor; 0 while there is none
  Configuration best;
  bool new_best = false;  // this trial is the best so far
  bool from_log = false;  // this trial was answered from an earlier session
};

class Observer {
 public:
  virtual ~Observer() = default;
  // A stage begins that takes seconds: measuring the device's ceilings; then, before session_started(), data and
  // reference.
  virtual void calibration_started() {}
  virtual void data_started() {}
  virtual void session_started(const SessionStart&) {}
  virtual void trial_done(const Trial&, const Progress&) {}
  // Receives what the user should know but cannot change now: a worker that died, another process on the device.
  virtual void note(const std::string& /*text*/) {}
  virtual void confirm_started(std::size_t /*configurations*/) {}
  virtual void final_started(std::size_t /*finalists*/) {}
  virtual void final_round_done(std::size_t /*rounds*/) {}
  virtual void energy_started(std::size_t /*finalists*/, double /*seconds_each*/) {}
  virtual void final_done(const FinalDecision&) {}
};

}  // namespace attune
