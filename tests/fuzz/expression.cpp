// Expressions of both dialects, and the bindings of a command line: what is parsed is evaluated, and its text means the
// same again.
#include "attune/expression.hpp"

#include "fuzz/fuzzed.hpp"

namespace attune::fuzz {

static void read_expression(std::string_view text, Dialect dialect) {
  read_or_refuse<ExpressionError>([&] {
    const Expression expression(text, dialect);
    static const Problem problem{{"n", 1024}, {"m", -7}, {"T", "float"}, {"x", 0.5}};
    static const Configuration configuration{{"BLOCK", 256}, {"ORDER", "Order::rows"}, {"FAST", true}, {"a", 0}};
    static const DeviceInfo device;
    const Scope scope{&problem, &configuration, &device};
    const Expression again(expression.text(), dialect);
    require(again.text() == expression.text() && again.names() == expression.names(), "a text reads back");
    require(again.holds(scope) == expression.holds(scope), "an expression has one value");
  });
}

}  // namespace attune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const std::string_view text = fuzz::text_of(data, size);
  fuzz::read_expression(text, Dialect::attune);
  fuzz::read_expression(text, Dialect::python);
  fuzz::read_or_refuse<UsageError>([&] { parse_bindings(text); });
  return 0;
}
