#include "core/regime.hpp"

namespace attune {

std::string_view to_text(Regime regime) { return regime == Regime::cold ? "cold" : "warm"; }

std::optional<Regime> regime_of(std::string_view text) {
  if (text == "cold") return Regime::cold;
  if (text == "warm") return Regime::warm;
  return std::nullopt;
}

}  // namespace attune
