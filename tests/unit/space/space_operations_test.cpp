// Every row of the table of operations in rules: a search space, which evaluates many combinations at once, has the
// configurations for which the rule holds.
#include "attune/search_space.hpp"
#include "support/every_operation.hpp"

namespace attune {
namespace {

// The values of one parameter are of one kind.
const std::vector<std::vector<Value>>& values_by_kind() {
  static const std::vector<std::vector<Value>> values = {
      {-7, 0, 1, 2, 3, 64, 3037000500, std::numeric_limits<std::int64_t>::max(),
       std::numeric_limits<std::int64_t>::min()},
      {-0.5, 0.0, 2.5, 3.0, 1e300},
      {true, false},
      {"float", "double", "rows"}};
  return values;
}

void expect_rule(const std::vector<Parameter>& parameters, const Expression& rule) {
  const SearchSpace space(parameters, std::vector<Rule>{{rule, false}});
  for (const Value& a : parameters[0].values)
    for (const Value& b : parameters[1].values)
      for (const Value& c : parameters[2].values) {
        const Configuration configuration = {{"a", a}, {"b", b}, {"c", c}};
        ASSERT_EQ(space.contains(configuration), rule.holds({nullptr, &configuration, nullptr}))
            << rule.text() << " with " << configuration.text();
      }
}

TEST(SearchSpace, TakesEveryOperationForWhatItIsWorth) {
  for_each_operation([](const OperationRow& row, Dialect dialect) {
    // An operation on one operand has two variables too: of one variable, its values are tabulated.
    const bool of_type = row.level == Level::type_function;
    const std::string a = row.arity == Arity::one && !of_type ? "a * b" : "a";
    const std::string text = written(row, dialect, a, "b", "c");
    const std::string_view negation = dialect == Dialect::python ? "not ({})" : "!({})";
    for (const auto& of_a : values_by_kind())
      for (const auto& of_b : values_by_kind()) {
        const std::vector<Parameter> parameters = {{"a", of_a}, {"b", of_b}, {"c", {1, 2, 4}}};
        expect_rule(parameters, Expression(text, dialect));
        expect_rule(parameters, Expression(fmt::format(fmt::runtime(negation), text), dialect));
        expect_rule(parameters, Expression(fmt::format("({}) <= c", text), dialect));
        expect_rule(parameters, Expression(fmt::format("({}) == b", text), dialect));
      }
  });
}

}  // namespace
}  // namespace attune
