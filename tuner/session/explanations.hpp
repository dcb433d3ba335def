// Why a session has no result, in words for its user. Pure.
#pragma once

#include <map>
#include <string>

#include "core/trial.hpp"

namespace attune {

// What the failed trials failed of, with an example of the most frequent.
std::string failures_explanation(const std::map<std::string, Trial>& trials, std::int64_t survivors);

// What to do about a search that was stopped for failures that are alike.
std::string stopped_explanation();

}  // namespace attune
