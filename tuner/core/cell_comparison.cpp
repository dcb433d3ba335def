// Comparisons and type properties of cells.
#include "core/cell.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

// x86's 80-bit long double holds every int64 and every double: comparing an integer with a real is exact.
static_assert(__LDBL_MANT_DIG__ >= 64);

long double wide(const Cell& cell) {
  return cell.kind == Cell::Kind::real ? static_cast<long double>(cell.real) : static_cast<long double>(cell.integer);
}

template <typename Compare>
Cell equality(const Cell& a, const Cell& b, Compare compare) {
  if (a.is_name() != b.is_name()) return Cell::undefined(Reason::compares_kinds);
  return Cell::of(a.is_name() ? compare(a.name, b.name) : compare(wide(a), wide(b)));
}

template <typename Compare>
Cell order(const Cell& a, const Cell& b, Compare compare) {
  if (a.is_name() && b.is_name()) return Cell::undefined(Reason::orders_names);
  if (a.is_name() || b.is_name()) return Cell::undefined(Reason::compares_kinds);
  return Cell::of(static_cast<bool>(compare(wide(a), wide(b))));
}

const TypeInfo* type_of(const Cell& cell) { return cell.is_name() ? find_type(cell.name) : nullptr; }

}  // namespace

Cell cell_not(const Cell& a, const Cell&) {
  const Cell is_true = truth(a);
  return is_true.is_undefined() ? is_true : Cell::of(is_true.integer == 0);
}

Cell cell_equal(const Cell& a, const Cell& b) {
  return equality(a, b, [](const auto& x, const auto& y) { return x == y; });
}

Cell cell_unequal(const Cell& a, const Cell& b) {
  return equality(a, b, [](const auto& x, const auto& y) { return x != y; });
}

Cell cell_less(const Cell& a, const Cell& b) {
  return order(a, b, [](long double x, long double y) { return x < y; });
}

Cell cell_less_equal(const Cell& a, const Cell& b) {
  return order(a, b, [](long double x, long double y) { return x <= y; });
}

Cell cell_greater(const Cell& a, const Cell& b) { return cell_less(b, a); }

Cell cell_greater_equal(const Cell& a, const Cell& b) { return cell_less_equal(b, a); }

Cell cell_sizeof(const Cell& a, const Cell&) {
  const auto* type = type_of(a);
  return type == nullptr ? Cell::undefined(Reason::needs_type) : Cell::of(std::int64_t{type->size});
}

Cell cell_epsilon(const Cell& a, const Cell&) {
  const auto* type = type_of(a);
  return type == nullptr ? Cell::undefined(Reason::needs_type) : Cell::of(type->epsilon);
}

}  // namespace attune
