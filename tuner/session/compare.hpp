// Compare: the stage that measures finalists, the default and the present record against each other
// (measure/final_stage.hpp). A round is of one bench, and benches take rounds side by side, as strands.
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
  Benches benches;                 // lanes, by round
  std::vector<std::string> uuids;  // of the benches' devices, by lane
  std::vector<bool> throttled;     // by round: the hardware held its device back
  std::vector<double> first_ns;    // by round: the anchor's time on its bench when the session began
  std::vector<double> clocks_mhz;  // readings of the devices' clocks during the stage
  bool is_metered = false;         // all energy that an objective needs was metered
  bool metered_throttled = false;  // the device was throttled during metering
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
  // What there is of a bench while it takes rounds.
  struct Taker {
    TrialBench& bench;
    std::size_t rounds = 0;     // that it took
    std::size_t loaded_at = 0;  // the round before which it loaded the contenders last
    std::size_t added = 1;      // rounds that it took last
    bool is_fresh = false;      // some were loaded since its last sample
  };
  void take_rounds(TrialBench& bench);
  bool needs_another(const std::vector<Contender*>& stayed, double seconds, std::size_t added) const;
  bool are_loaded_too_long(const Taker& taker) const;
  void load_again(Taker& taker);
  std::optional<std::vector<double>> sample(TrialBench& bench, const std::vector<Contender*>& slots);
  bool measure_rounds(Taker& taker, std::size_t rounds);
  void let_beaten_leave();
  void check_again(TrialBench& bench);
  void note_broken_promise(const Contender& contender);
  bool meter();
  bool meter_all();
  void meter_one(Contender& contender);
  void drop(TrialBench& bench, Contender& contender, const Status& status, const Result& result);
  void see_benches();
  RoundTimes values_of(const std::vector<Contender*>& contenders) const;
  std::size_t rounds() const { return compared_.benches.size(); }
  bool is_stream() const { return on_.terms.request.regime == Regime::stream; }

  const std::optional<Record>& present_record_;
  Protocol protocol_;  // has less time after an interruption, because the user waits
  std::mt19937_64 random_;
  FinalStageResult compared_;
  std::vector<ReadingCounts> seen_;  // by round, of its bench; rounds sent together share their numbers
};

}  // namespace attune
