#include "core/record.hpp"

#include <array>
#include <string>
#include <vector>

#include "attune/error.hpp"
#include "core/near_name.hpp"

namespace attune {
namespace {

// In the order of Effort's numbers.
constexpr std::array<std::string_view, 4> effort_names = {"estimate", "measure", "patient", "exhaustive"};

}  // namespace

std::string_view to_text(Effort effort) noexcept {
  const auto index = static_cast<std::size_t>(effort);
  return index < effort_names.size() ? effort_names[index] : "unknown effort";
}

Effort effort_from_text(std::string_view text) {
  for (std::size_t index = 0; index < effort_names.size(); ++index)
    if (effort_names[index] == text) return static_cast<Effort>(index);
  const std::vector<std::string> known(effort_names.begin(), effort_names.end());
  throw UsageError("unknown effort `" + std::string(text) + "`" + suggestion(text, known));
}

}  // namespace attune
