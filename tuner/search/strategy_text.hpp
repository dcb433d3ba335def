// The text of a strategy with its options, by which sessions are compared. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "attune/strategy.hpp"

namespace attune {

// Returns the same text for all equal settings: options are in the order of the strategy's table, and defaults are left
// out. "annealing:walkers=4,cooling=0.990" -> "annealing:cooling=0.99,walkers=4". Throws as make_strategy() does.
std::string canonical_strategy(std::string_view text);

// Returns an option's value as text: a number or a word.
std::string value_text(const StrategyOption& option, double value);
// Returns "a whole number from 1 to 64" or "one of hamming, adjacent".
std::string bounds_text(const StrategyOption& option);

}  // namespace attune
