// FillValues: a Fill with its numbers for one problem, from which devices make data. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "attune/kernel_spec.hpp"
#include "core/type_table.hpp"

namespace attune {

struct FillValues {
  FillKind kind = FillKind::uniform;
  double a = -1;               // uniform: lower bound; normal: mean; constant: the value; zipf: the exponent
  double b = 1;                // uniform: upper bound; normal: standard deviation
  std::int64_t integer_a = 0;  // `a` for integer types, for which a double would not be exact
  std::int64_t integer_b = 0;  // `b` for integer types; zipf: the count
  bool full_range = false;     // integers without a fill: all values of the type
};

// Returns how many numbers a kind of fill has.
std::size_t numbers_of(FillKind kind) noexcept;

// Returns whether its numbers are the same for every problem.
bool is_constant(const Fill& fill);

// Returns the numbers of `fill`. Throws ExpressionError, whose offset is the position of the wrong number in the list.
// Wrong are a number without a value or not finite, bounds in the wrong order, a negative deviation, and a count
// outside 1 .. 2^20.
FillValues fill_values(const Fill& fill, const Scope& scope);

// Returns why such values cannot have the type `type`, or nothing if they can.
std::optional<std::string> misfit(const FillValues& fill, const TypeInfo& type);

}  // namespace attune
