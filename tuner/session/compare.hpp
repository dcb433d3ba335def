// Compare: the stage that measures finalists, the default and the present record against each other
// (measure/final_stage.hpp). One thread.
#pragma once

#include <random>
#include <vector>

#include "core/record.hpp"
#include "session/contender.hpp"
#include "session/stage.hpp"

namespace attune {

// The results of the stage.
struct FinalStageResult {
  std::vector<Contender> contenders;
  std::vector<ReadingCounts> seen;  // by round; rounds sent together share their numbers
  std::vector<double> clocks_mhz;   // readings of the clock during the stage
  bool is_metered = false;          // all energy that an objective needs was metered
  bool metered_throttled = false;   // the device was throttled during metering
};

// Returns the contenders in the form that measure/ takes.
std::vector<Finalist> finalists_of(const std::vector<Contender*>& contenders, const SessionTerms& terms,
                                   const ObjectiveValues& values, const std::optional<Record>& present_record);

class Compare : private Stage {
 public:
  // `present_record` is the record that was current when the session began.
  Compare(SessionParts& parts, const std::optional<Record>& present_record)
      : Stage(parts), present_record_(present_record), protocol_(parts.terms.protocol), random_(parts.seed) {}

  // Compares the survivors `ranked`, best first. Throws Error when none of them passes its check again.
  FinalStageResult run(std::vector<Trial> ranked);

 private:
  std::vector<Trial> choose(std::vector<Trial> ranked) const;
  void add_best_by_others(std::vector<Trial>& chosen) const;
  void load_all(const std::vector<Trial>& chosen);
  void take_rounds();
  bool are_loaded_too_long() const;
  void load_again();
  std::optional<std::vector<double>> sample(const std::vector<Contender*>& slots);
  bool measure_rounds(std::size_t rounds);
  void let_beaten_leave();
  void check_again();
  void note_broken_promise(const Contender& contender);
  bool meter();
  using Contenders = std::vector<Contender>;
  Contenders::iterator meter_one(Contenders::iterator one);
  Contenders::iterator drop(Contenders::iterator one, const Status& status, const Result& result);
  RoundTimes values_of(const std::vector<Contender*>& contenders) const;
  std::size_t rounds() const { return compared_.seen.size(); }
  bool is_stream() const { return on_.terms.request.regime == Regime::stream; }

  const std::optional<Record>& present_record_;
  Protocol protocol_;  // has less time after an interruption, because the user waits
  std::mt19937_64 random_;
  FinalStageResult compared_;
  std::size_t loaded_at_ = 0;  // the round before which the contenders were loaded last
  bool is_fresh_ = false;      // some were loaded since the last sample
};

}  // namespace attune
