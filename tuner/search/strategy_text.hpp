// How a strategy with its options is written: what sessions are told apart by. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "attune/strategy.hpp"

namespace attune {

// The one text for all that mean the same: options in the order of the strategy's table, those with their default left
// out: "annealing:walkers=4,cooling=0.990" -> "annealing:cooling=0.99,walkers=4". Throws as make_strategy() does.
std::string canonical_strategy(std::string_view text);

// An option's value as it is given: a number, or its word.
std::string value_text(const StrategyOption& option, double value);
// "a whole number from 1 to 64" or "one of hamming, adjacent".
std::string bounds_text(const StrategyOption& option);

}  // namespace attune
