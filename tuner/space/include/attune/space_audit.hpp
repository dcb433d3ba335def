// SpaceAudit: what the rules of a search space do to it. It states what each rule removes, which rules are superfluous
// and which values never occur. For an empty space it names a smallest set of rules that together leave nothing. The
// audit builds the space under subsets of its rules, a few subsets per rule. Plain values and pure functions; any
// thread.
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
  double fraction = 0;             // 0 .. 1; 0 where the set is empty
};

// How the space without the rule would differ.
enum class Need {
  needed,        // larger
  follows,       // the same: the other rules imply this one
  always_holds,  // the same: no combination of values breaks it
  open,          // not known, or meaningless because the other rules leave nothing
};

struct RuleAudit {
  std::string text;
  bool implied = false;  // a limit of the device
  Removed alone;         // of the product of all values
  Removed last;          // of what the other rules leave
  Need need = Need::needed;
  // With Need::follows: the position of the first other rule that alone implies this one; nothing if no single rule
  // does.
  std::optional<std::size_t> follows_from;
  bool same = false;  // this rule also implies that one: either may go, not both
};

// Rules that together leave no configuration. If any one of them is removed, some configuration is left.
struct EmptyCore {
  std::vector<std::size_t> rules;  // by position, ascending
  bool smallest = true;            // proven: no set of fewer rules leaves nothing
};

struct ParameterAudit {
  std::string name;
  std::vector<Value> never;   // values that occur in no legal configuration; empty for an empty space
  std::optional<Value> only;  // the only value left, if there is just one: the parameter cannot matter
  bool mentioned = true;      // some rule mentions it
};

struct SpaceAudit {
  SpaceSize cartesian = 0;  // saturating at 2^128 - 1
  SpaceSize legal = 0;      // saturating as well; an upper bound unless `left_out` is empty
  bool legal_saturated = false;
  std::vector<std::size_t> left_out;  // positions of the rules that outgrew the budget and are not counted
  std::vector<RuleAudit> rules;       // as in SearchSpace::rules()
  std::vector<ParameterAudit> parameters;
  std::optional<EmptyCore> core;  // only for an empty space
};

// Returns the audit of a space. The figures of its rules take some seconds at most; those not found by then are
// unknown.
SpaceAudit audit(const SearchSpace& space);

// Returns the fewest rules that together leave no configuration, found by implicit hitting sets. Returns nothing for a
// space that is not empty. After max(`most_spaces`, number of rules) constructions it settles for a set of which every
// rule is needed: see EmptyCore::smallest.
std::optional<EmptyCore> empty_core(const SearchSpace& space, std::size_t most_spaces = 2000);

}  // namespace attune
