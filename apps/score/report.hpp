// Results as text for people and as JSON for programs. Formats: docs/score.md.
#pragma once

#include <string>

#include "results.hpp"

namespace attune::cli {

std::string report_text(const ScoreRequest& request, const Spaces& spaces, const Report& report);
std::string report_json(const ScoreRequest& request, const Spaces& spaces, const Report& report);
// Returns the output of --reference-trace. Throws UsageError for a space without a span or without costs.
std::string reference_json(const Spaces& spaces);

}  // namespace attune::cli
