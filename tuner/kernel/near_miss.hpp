// Near misses: records of a kernel that do not serve a request, and the reasons. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "kernel/ladder.hpp"

namespace attune {

// Returns why the nearest of these records does not serve: "it is known for n=4096 T=float, whose size is beyond a
// factor of 2". Returns "" if there are no records. A record whose problem could not be read has an empty problem.
std::string say_near_miss(const MatchRequest& request, std::span<const Record> records);

}  // namespace attune
