#include "attune/match.hpp"

#include <array>

namespace attune {

std::string_view to_text(Rung rung) noexcept {
  constexpr std::array<std::string_view, 6> texts = {"exact",        "stale",          "other regime",
                                                     "near problem", "sibling device", "none"};
  const auto number = static_cast<std::size_t>(rung);
  return number < texts.size() ? texts[number] : "unknown";
}

}  // namespace attune
