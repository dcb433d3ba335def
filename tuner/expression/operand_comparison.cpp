// Comparisons and type properties of operands.
#include "core/type_table.hpp"
#include "expression/operations.hpp"

namespace attune {
namespace {

// x86's 80-bit long double holds every int64 and every double: comparing an integer with a real is exact.
static_assert(__LDBL_MANT_DIG__ >= 64);

long double wide(const Operand& operand) {
  return operand.kind == Operand::Kind::real ? static_cast<long double>(operand.real)
                                             : static_cast<long double>(operand.integer);
}

template <typename Compare>
Operand equality(const Operand& a, const Operand& b, Compare compare) {
  if (a.is_name() != b.is_name()) return Operand::undefined(Reason::compares_kinds);
  return Operand::of(a.is_name() ? compare(a.name, b.name) : compare(wide(a), wide(b)));
}

template <typename Compare>
Operand order(const Operand& a, const Operand& b, Compare compare) {
  if (a.is_name() && b.is_name()) return Operand::undefined(Reason::orders_names);
  if (a.is_name() || b.is_name()) return Operand::undefined(Reason::compares_kinds);
  return Operand::of(static_cast<bool>(compare(wide(a), wide(b))));
}

const TypeInfo* type_of(const Operand& operand) { return operand.is_name() ? find_type(operand.name) : nullptr; }

}  // namespace

Operand operand_logical_not(const Operand& a, const Operand&) {
  const Operand is_true = truth(a);
  return is_true.is_undefined() ? is_true : Operand::of(is_true.integer == 0);
}

Operand operand_equal(const Operand& a, const Operand& b) {
  return equality(a, b, [](const auto& x, const auto& y) { return x == y; });
}

Operand operand_unequal(const Operand& a, const Operand& b) {
  return equality(a, b, [](const auto& x, const auto& y) { return x != y; });
}

Operand operand_less(const Operand& a, const Operand& b) {
  return order(a, b, [](long double x, long double y) { return x < y; });
}

Operand operand_less_equal(const Operand& a, const Operand& b) {
  return order(a, b, [](long double x, long double y) { return x <= y; });
}

Operand operand_greater(const Operand& a, const Operand& b) { return operand_less(b, a); }

Operand operand_greater_equal(const Operand& a, const Operand& b) { return operand_less_equal(b, a); }

Operand operand_size_of(const Operand& a, const Operand&) {
  const auto* type = type_of(a);
  return type == nullptr ? Operand::undefined(Reason::needs_type) : Operand::of(std::int64_t{type->size});
}

Operand operand_epsilon(const Operand& a, const Operand&) {
  const auto* type = type_of(a);
  return type == nullptr ? Operand::undefined(Reason::needs_type) : Operand::of(type->epsilon);
}

}  // namespace attune
