// The functions that apply operations to operands, each with the name of its row. arithmetic.inc is copied into
// exported headers too. Therefore it is C++17, and the code that includes it provides the values, the reasons for which
// there is no value, and find_type(). Any thread.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/type_table.hpp"
#include "expression/operand.hpp"

namespace attune::arithmetic {

using Value = Operand;
using Type = TypeInfo;
using enum Reason;

constexpr Value undefined(Reason reason) { return Operand::undefined(reason); }
constexpr Value whole(std::int64_t number) { return Operand::of(number); }
constexpr Value flag(bool truth) { return Operand::of(truth); }
constexpr Value real(double number) { return Operand::of(number); }

#include "expression/arithmetic.inc"

}  // namespace attune::arithmetic
