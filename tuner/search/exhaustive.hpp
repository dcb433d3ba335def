// Every legal configuration, in index order.
#pragma once

#include <memory>

#include "search/strategy.hpp"

namespace attune {
std::unique_ptr<Strategy> make_exhaustive(const SearchSpace& space, std::uint64_t seed);
}
