// Ending: how a search ended, or why there was none (docs/efforts.md).
#pragma once

namespace attune {

enum class Ending {
  everything_tried,  // this and the next three finish a session: the strategy has nothing left
  effort_spent,      // the effort's own budget
  patience,          // too many trials without an improvement
  target,            // the best is fast enough
  time,              // this and the next are limits of the user's; the next search goes on
  trials,
  interrupted,  // a stop was requested
  hopeless,     // nearly all of the first configurations failed alike
  no_survivor,  // no configuration is legal, compiles and gives the right result
  known,        // an earlier session has the result
  estimated,    // Effort::estimate: what is known, or the default configuration; nothing was measured
};

// Returns whether a search that ended so did all that was asked for.
constexpr bool finishes(Ending ending) noexcept { return ending <= Ending::target; }

}  // namespace attune
