#include "expression/operations.hpp"

#include <algorithm>
#include <type_traits>

namespace attune {
namespace {

template <auto function>
Operand applied(const Operand& a, [[maybe_unused]] const Operand& b, [[maybe_unused]] const Operand& c) {
  if constexpr (std::is_invocable_v<decltype(function), Operand>) {
    return function(a);
  } else if constexpr (std::is_invocable_v<decltype(function), Operand, Operand>) {
    return function(a, b);
  } else {
    return function(a, b, c);
  }
}

}  // namespace

#define ATTUNE_LAZY(name, arity, level, attune, python) \
  {NodeKind::name, #name, Arity::arity, Level::level, attune, python, nullptr},
#define ATTUNE_STRICT(name, arity, level, attune, python) \
  {NodeKind::name, #name, Arity::arity, Level::level, attune, python, applied<operand_##name>},
constexpr decltype(operation_table) operation_table = {
    {ATTUNE_LAZY_OPERATIONS(ATTUNE_LAZY) ATTUNE_STRICT_OPERATIONS(ATTUNE_STRICT)}};
#undef ATTUNE_LAZY
#undef ATTUNE_STRICT

static_assert(std::ranges::is_sorted(operation_table, {}, &OperationRow::level));

std::span<const OperationRow> operations(Level first, Level last) {
  // By level: how many rows have a looser one.
  static constexpr auto starts = [] {
    std::array<std::size_t, static_cast<std::size_t>(Level::type_function) + 2> result{};
    for (const auto& row : operation_table)
      for (std::size_t level = static_cast<std::size_t>(row.level) + 1; level < result.size(); ++level) ++result[level];
    return result;
  }();
  const std::size_t begin = starts[static_cast<std::size_t>(first)];
  return std::span(operation_table).subspan(begin, starts[static_cast<std::size_t>(last) + 1] - begin);
}

const OperationRow* find_operation(Level first, Level last, Dialect dialect, std::string_view text) {
  for (const auto& row : operations(first, last)) {
    if (row.written(dialect) == text) return &row;
  }
  return nullptr;
}

std::vector<std::string> function_names(Dialect dialect) {
  std::vector<std::string> names;
  for (const auto& row : operations(Level::function, Level::type_function)) {
    if (!row.written(dialect).empty()) names.emplace_back(row.written(dialect));
  }
  return names;
}

}  // namespace attune
