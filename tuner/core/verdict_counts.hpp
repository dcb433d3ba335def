// The number of configurations with each verdict.
#pragma once

#include <cstdint>
#include <map>

#include "core/verdict.hpp"

namespace attune {

using VerdictCounts = std::map<Verdict, std::int64_t>;

}  // namespace attune
