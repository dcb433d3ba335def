// The text of errors and of what is tolerated. Pure.
#pragma once

#include <string>

#include "core/numerics.hpp"
#include "device/inspection.hpp"

namespace attune {

// Returns "none: equal or wrong", "1e-05 + 0.0001 * |expected|; 3 elements may differ".
std::string tolerance_text(const Tolerance& tolerance);

// Returns ", 0.21 of the tolerance"; "" without an error, and where nothing is tolerated.
std::string share_text(double max_share);

// Returns "largest error 3.1e-06, 0.21 of the tolerance", and the error alone where nothing is tolerated.
std::string error_text(double max_absolute, double max_share);
inline std::string error_text(const Numerics& numerics) {
  return error_text(numerics.max_absolute, numerics.max_share);
}

}  // namespace attune
