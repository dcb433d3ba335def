#include "core/regime.hpp"

namespace attune {

std::string_view to_text(Regime regime) {
  switch (regime) {
    case Regime::cold:
      return "cold";
    case Regime::warm:
      return "warm";
    case Regime::stream:
      break;
  }
  return "stream";
}

std::optional<Regime> regime_of(std::string_view text) {
  for (const Regime regime : regimes)
    if (text == to_text(regime)) return regime;
  return std::nullopt;
}

}  // namespace attune
