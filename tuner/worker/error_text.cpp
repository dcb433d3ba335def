#include "worker/error_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/counted.hpp"

namespace attune {

std::string tolerance_text(const Tolerance& tolerance) {
  const std::string text = tolerance.absolute == 0 && tolerance.relative == 0
                               ? "none: equal or wrong"
                               : fmt::format("{:.3g} + {:.3g} * |expected|", tolerance.absolute, tolerance.relative);
  return tolerance.differing == 0 ? text
                                  : fmt::format("{}; {} may differ", text, counted(tolerance.differing, "element"));
}

std::string share_text(double max_share) {
  return max_share > 0 && std::isfinite(max_share) ? fmt::format(", {:.2g} of the tolerance", max_share) : "";
}

std::string error_text(double max_absolute, double max_share) {
  return fmt::format("largest error {:.3g}{}", max_absolute, share_text(max_share));
}

}  // namespace attune
