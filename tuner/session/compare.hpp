// Compare: the stage in which finalists, the default and the present record are measured against each other
// (measure/final_stage.hpp). One thread.
#pragma once

#include <random>
#include <vector>

#include "core/record.hpp"
#include "session/contender.hpp"
#include "session/stage.hpp"

namespace attune {

// What the stage found out.
struct Compared {
  std::vector<Contender> contenders;
  std::vector<ReadingsHeard> heard;  // by round; those that are asked for at once share what was heard
  std::vector<double> clocks_mhz;    // readings meanwhile
  bool is_metered = false;           // the energy, where an objective needs it
  bool metered_throttled = false;    // the hardware held back while energy was metered
};

// As the pure functions of measure/ see them.
std::vector<Finalist> finalists_of(const std::vector<Contender*>& contenders, const SessionTerms& terms,
                                   const ObjectiveValues& values, const std::optional<Record>& present_record);

class Compare : private Stage {
 public:
  // `present_record`: that stood when the session began.
  Compare(SessionParts& parts, const std::optional<Record>& present_record)
      : Stage(parts), present_record_(present_record), protocol_(parts.terms.protocol), random_(parts.seed) {}

  // `ranked`: the survivors, best first. Throws Error when none passes its check again.
  Compared run(std::vector<Trial> ranked);

 private:
  std::vector<Trial> choose(std::vector<Trial> ranked) const;
  void add_best_by_others(std::vector<Trial>& chosen) const;
  void load_all(const std::vector<Trial>& chosen);
  void take_rounds();
  bool measure_rounds(std::size_t rounds);
  void let_beaten_leave(const RoundTimes& values);
  void check_again();
  bool meter();
  bool meter_one(Contender& contender);
  RoundTimes values_of(const std::vector<Contender*>& contenders) const;
  std::size_t rounds() const { return compared_.heard.size(); }

  const std::optional<Record>& present_record_;
  Protocol protocol_;  // after an interruption the user waits: less time
  std::mt19937_64 random_;
  Compared compared_;
};

}  // namespace attune
