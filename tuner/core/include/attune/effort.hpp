// Effort: how hard a search tries (docs/efforts.md).
#pragma once

#include <string_view>

namespace attune {

enum class Effort { estimate = 0, measure = 1, patient = 2, exhaustive = 3 };
// Returns "estimate", "measure", "patient" or "exhaustive".
std::string_view to_text(Effort effort) noexcept;
// Returns the effort with this name. Throws UsageError for any other text.
Effort effort_from_text(std::string_view text);

}  // namespace attune
