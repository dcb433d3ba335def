// Uniform over the legal configurations, without repetition.
#pragma once

#include <memory>

#include "search/strategy.hpp"

namespace attune {
std::unique_ptr<Strategy> make_random(const SearchSpace& space, std::uint64_t seed);
}
