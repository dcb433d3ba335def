// SpaceAudit: where the configurations of a search space went. It states what each rule removes, which rules are
// superfluous and which values never occur. Of an empty space it names a smallest set of rules that together leave
// nothing. It is computed by building the space under subsets of its rules, a few per rule. Plain values, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attune/search_space.hpp"

namespace attune {

// Counted exactly; estimated from a fixed sample; or unknown, where the sample gives no estimate.
enum class Certainty { exact, estimated, unknown };

// How much of a set of configurations a rule removes.
struct Removed {
  Certainty certainty = Certainty::exact;
  std::optional<SpaceSize> count;  // only where exact and below 2^128 - 1
  double fraction = 0;             // 0 .. 1, of 0 configurations 0
};

// How the space without the rule would differ.
enum class Need {
  needed,        // larger
  follows,       // the same: the other rules imply this one
  always_holds,  // the same: no combination of values breaks it
  open,          // not known, or without meaning, because the other rules leave nothing
};

struct RuleAudit {
  std::string text;
  bool implied = false;  // a limit of the device
  Removed alone;         // of the product of all values
  Removed last;          // of what the other rules leave
  Need need = Need::needed;
  // Where it follows: the first other rule that implies it alone, if there is one, by position in rules.
  std::optional<std::size_t> follows_from;
  bool same = false;  // and which it implies in turn: either rule may go, not both
};

// Rules that together leave nothing, each of them needed for that.
struct EmptyCore {
  std::vector<std::size_t> rules;  // by position, ascending
  bool smallest = true;            // proven: no set of fewer rules leaves nothing
};

struct ParameterAudit {
  std::string name;
  std::vector<Value> never;   // values that occur in no legal configuration; of an empty space none are named
  std::optional<Value> only;  // the one value that is left, so that the parameter cannot matter
  bool mentioned = true;      // by some rule
};

struct SpaceAudit {
  SpaceSize cartesian = 0;  // saturating at 2^128 - 1
  SpaceSize legal = 0;      // saturating likewise; an upper bound where `left_out` is not empty
  bool legal_saturated = false;
  std::vector<std::size_t> left_out;  // positions of the rules that outgrew the budget and are not counted
  std::vector<RuleAudit> rules;       // as in SearchSpace::rules()
  std::vector<ParameterAudit> parameters;
  std::optional<EmptyCore> core;  // of an empty space
};

SpaceAudit audit(const SearchSpace& space);

// Returns the fewest rules that together leave nothing, by implicit hitting sets. Returns nothing for a space that is
// not empty. After max(`most_spaces`, number of rules) constructions, it returns a set whose rules are all needed.
std::optional<EmptyCore> empty_core(const SearchSpace& space, std::size_t most_spaces = 2000);

}  // namespace attune
