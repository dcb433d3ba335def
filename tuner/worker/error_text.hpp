// The texts of numerical errors and of tolerances. Pure functions.
#pragma once

#include <string>

#include "core/numerics.hpp"
#include "device/inspection.hpp"

namespace attune {

// Returns a text like "none: equal or wrong" or "1e-05 + 0.0001 * |expected|; 3 elements may differ".
std::string tolerance_text(const Tolerance& tolerance);

// Returns a text like ", 0.21 of the tolerance"; "" without an error, and where nothing is tolerated.
std::string share_text(double max_share);

// Returns a text like "largest error 3.1e-06, 0.21 of the tolerance"; it is the error alone where nothing is tolerated.
std::string error_text(double max_absolute, double max_share);
inline std::string error_text(const Numerics& numerics) {
  return error_text(numerics.max_absolute, numerics.max_share);
}

}  // namespace attune
