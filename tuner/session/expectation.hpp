// How much a search with long compiles can try. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace attune {

struct Expectation {
  double image_seconds = 0;       // how long the default took to compile
  unsigned compilers = 1;         // that run at the same time
  std::optional<double> seconds;  // left for the search; nothing if there is no limit
  double configurations = 0;      // how many may be tried
};

// Returns "one image takes 27 s to compile: about 9 of 682 configurations, 8 at a time, in 30 s"; "" where compiles
// are short, or all can be tried.
std::string expectation_text(const Expectation& expectation);

}  // namespace attune
