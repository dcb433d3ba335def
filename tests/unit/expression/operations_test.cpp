// Every row of the table of operations is read and evaluated, in each dialect that writes it.
#include "expression/node.hpp"
#include "support/every_operation.hpp"
#include "unit/expression/expression_fixture.hpp"

namespace attune {
namespace {

// Python compares what may be names by another operation.
bool needs_numbers(const OperationRow& row, Dialect dialect) {
  return dialect == Dialect::python && row.level == Level::comparison;
}

std::string written_with_names(const OperationRow& row, Dialect dialect) {
  return needs_numbers(row, dialect) ? written(row, dialect, "+a", "+b", "+c") : written(row, dialect, "a", "b", "c");
}

TEST(EveryOperation, IsReadAndKeepsItsText) {
  for_each_operation([](const OperationRow& row, Dialect dialect) {
    const std::string text = written_with_names(row, dialect);
    const Expression expression(text, dialect);
    const auto& root = parsed_of(expression).nodes.back();
    EXPECT_TRUE(root.operation == row.kind) << text;
    EXPECT_EQ(text.substr(root.begin, root.end - root.begin), text);
  });
}

// Returns what the row's function says, as evaluate() would.
Expression::Result worth(const OperationRow& row, const Bindings& names, const std::string& text) {
  const Operand result = function_of(row.kind)(Operand::of(names.at("a")), Operand::of(names.at("b")));
  if (!result.is_undefined()) return result.value();
  return Undefined{reason_text(result.reason, text)};
}

std::string kind_and_text(const Expression::Result& result) {
  const auto* const value = std::get_if<Value>(&result);
  return value == nullptr ? std::get<Undefined>(result).reason
                          : std::to_string(static_cast<int>(value->kind())) + ":" + value->text();
}

TEST(EveryOperation, IsEvaluatedByItsFunction) {
  const Value values[] = {-7, 0, 1, 2, 64, most, least, -0.5, 2.5, true, "float", "rows"};
  for_each_operation([&](const OperationRow& row, Dialect dialect) {
    const std::string text = written_with_names(row, dialect);
    const Expression expression(text, dialect);
    int defined = 0;
    for (const Value& a : values)
      for (const Value& b : values)
        for (const Value& c : {Value(1), Value(2.5), Value("float")}) {
          if (needs_numbers(row, dialect) && (a.is_name() || b.is_name())) continue;
          const Bindings names = {{"a", a}, {"b", b}, {"c", c}};
          const auto result = expression.evaluate({&names, nullptr, nullptr});
          defined += std::holds_alternative<Value>(result) ? 1 : 0;
          if (!is_strict(row.kind)) continue;
          EXPECT_EQ(kind_and_text(result), kind_and_text(worth(row, names, text))) << names.text();
        }
    EXPECT_GT(defined, 0);
  });
}

}  // namespace
}  // namespace attune
