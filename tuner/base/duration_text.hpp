// Seconds in words: "1.5 s", "48 s", "12 min", "3.2 h".
#pragma once

#include <string>

namespace attune {

std::string duration_text(double seconds);

}  // namespace attune
