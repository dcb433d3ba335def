// CoverSplit: a question about a problem that a decision tree asks. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attune/bindings.hpp"

namespace attune {

// Which questions a tree may ask. Every family asks for sizes, and for types and choices by equality.
enum class SplitFamily {
  sizes,      // n <= 65536
  multiples,  // and width % 4 == 0, also of all sizes
  products,   // and width * height <= 65536
  shapes,     // and both width * height <= 65536 and width <= 4 * height
};

// One of: factor * a * b <= bound * c; a % bound == 0 && b % bound == 0; a == value. Names that are "" are left out.
struct CoverSplit {
  enum class Kind { at_most, multiple, equal };
  Kind kind = Kind::at_most;
  std::string a = {}, b = {}, c = {};
  std::int64_t factor = 1, bound = 0;
  Value value = {};

  // Returns the answer, as attune's evaluator gives it for text().
  bool holds(const Problem& problem) const;
  // Returns the question in attune's language: "n <= 65536".
  std::string text() const;
};

// Returns all questions that tell some of these problems apart, each pair of neighbours once.
std::vector<CoverSplit> splits_of(std::span<const Problem* const> problems, SplitFamily family);

// Returns a name in quotes as expressions have it.
std::string quoted_name(const std::string& name);

}  // namespace attune
