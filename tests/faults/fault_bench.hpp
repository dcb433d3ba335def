// A fixture for sessions whose workers fail: runs `attune_with_faults tune`, on a recording (in virtual time) or on the
// host device, and looks at what it said and at what stands in the database.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/workbench.hpp"
#include "core/trial.hpp"
#include "db/wisdom_store.hpp"
#include "faults/fault_log.hpp"

namespace attune::test {

struct TuneRun {
  CommandResult command;
  nlohmann::json best;  // the line with the result; null when there was none
  std::vector<std::string> notes;
  std::vector<nlohmann::json> trials;
  double seconds = 0;
  int workers_replaced() const { return best.is_null() ? -1 : best.at("workers_replaced").get<int>(); }
};

// Those whose command line holds all of these texts.
std::vector<pid_t> processes_with(const std::vector<std::string>& texts);

class FaultBench : public Workbench {
 protected:
  // Of the recording of tune_recording().
  static constexpr const char* best = "A=3 B=2";
  static constexpr const char* bad = "A=5 B=4";  // far from the best: no finalist
  static constexpr int all = 30;

  void SetUp() override;

  // The script of all commands that follow.
  void faults(const std::string& script) const;
  // A recording of parameters A (0 to a - 1) and B (0 to b - 1): 1 ms, or another `best_ms`, at A = a / 2, B = b / 2
  // and slower all around; the default is A=0 B=0, twice as slow.
  std::string recording(int a, int b, double best_ms = 1) const;
  // Tunes all of a recording of 6 x 5 with every configuration tried, unless `arguments` say otherwise.
  TuneRun tune_recording(std::vector<std::string> arguments = {}, CommandOptions options = {}) const;
  // attune_with_faults tune ARGUMENTS --json
  TuneRun tune(std::vector<std::string> arguments, CommandOptions options = {}) const;

  // What the database holds of the newest session.
  std::map<std::string, Trial> trials() const;  // by configuration
  std::vector<Attempt> attempts() const;
  std::vector<std::string> quarantined() const;  // configurations, as the database writes them
  int count_of_verdict(Verdict verdict) const;

  std::string script() const { return (folder_ / "faults").string(); }
  FaultLog log() const { return FaultLog(script() + ".log"); }
};

}  // namespace attune::test
