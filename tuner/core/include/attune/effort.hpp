// Effort: how hard a search tries (docs/efforts.md).
#pragma once

#include <string_view>

namespace attune {

enum class Effort { estimate = 0, measure = 1, patient = 2, exhaustive = 3 };
std::string_view to_text(Effort effort) noexcept;
Effort effort_from_text(std::string_view text);  // throws UsageError

}  // namespace attune
