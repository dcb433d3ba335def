// What an expression tells besides its value, and the ways to ask for it.
#include "support/message_of.hpp"
#include "unit/expression/expression_fixture.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Expression, ReportsNamesInOrderOfFirstUse) {
  const Expression expression(
      "TILE * b % a + sizeof(T) + epsilon(float) + sizeof('half') + a + device.warp_size * device.multiprocessors + "
      "device.warp_size");
  EXPECT_THAT(expression.names(), ElementsAre("TILE", "b", "a", "T"));
  EXPECT_THAT(expression.device_properties(), ElementsAre("warp_size", "multiprocessors"));
}

TEST(Expression, KeepsItsText) { EXPECT_EQ(Expression(" 1+ 2 ").text(), " 1+ 2 "); }

TEST(Expression, HasNoDevicePropertyWithoutADevice) {
  const auto result = Expression("device.warp_size").evaluate(Scope{});
  EXPECT_THAT(std::get<Undefined>(result).reason, HasSubstr("no device"));
}

TEST(Expression, FindsProblemNamesBeforeParameters) {
  const Bindings first = {{"a", 1}}, second = {{"a", 2}, {"b", 3}};
  EXPECT_EQ(Expression("a * 10 + b").integer({&first, &second, nullptr}, "test"), 13);
}

TEST(Expression, OfAConstantReadsBackEqual) {
  for (const Value& value : {Value(7), Value(least), Value(0.1), Value(1e300), Value(-0.5), Value(true),
                             Value("Order::rows"), Value("it's")}) {
    const Expression constant(value);
    EXPECT_EQ(std::get<Value>(constant.evaluate(Scope{})), value);
    EXPECT_EQ(std::get<Value>(Expression(constant.text()).evaluate(Scope{})), value) << constant.text();
  }
}

TEST(Expression, HoldsOnlyWhenDefinedAndTrue) {
  EXPECT_TRUE(Expression("TILE % 8 == 0").holds(scope()));
  EXPECT_TRUE(Expression("TILE").holds(scope()));
  EXPECT_TRUE(Expression("RATIO").holds(scope()));
  EXPECT_FALSE(Expression("zero").holds(scope()));
  EXPECT_FALSE(Expression("T").holds(scope()));
  EXPECT_FALSE(Expression("1 / zero == 1").holds(scope()));
  EXPECT_FALSE(Expression("!(1 / zero == 1)").holds(scope()));
}

TEST(Expression, GivesAnIntegerOrSaysWhatIsWrong) {
  EXPECT_EQ(Expression("n / 3").integer(scope(), "grid"), 333);
  EXPECT_EQ(Expression("FAST").integer(scope(), "grid"), 1);
  const auto message = [](const char* text) {
    return message_of<Error>([&] { Expression(text).integer(scope(), "grid.x"); });
  };
  EXPECT_EQ(message("1 / zero"), "grid.x: 1 / zero: division by zero in `1 / zero`");
  EXPECT_THAT(message("n / 3.0"), HasSubstr("is not an integer (round with floor() or ceil())"));
  EXPECT_THAT(message("T"), HasSubstr("the result float is not an integer"));
}

TEST(Expression, GivesADoubleOrSaysWhatIsWrong) {
  EXPECT_EQ(Expression("n").real(scope(), "absolute"), 1000.0);
  EXPECT_EQ(Expression("RATIO").real(scope(), "absolute"), 0.5);
  EXPECT_THROW(Expression("T").real(scope(), "absolute"), Error);
  EXPECT_THROW(Expression("sqrt(-1)").real(scope(), "absolute"), Error);
}

TEST(Expression, TakesValuesByPosition) {
  const Expression expression("a - b * a");
  const Value a = 10, b = 3;
  const Value* const values[] = {&a, &b};
  EXPECT_EQ(std::get<Value>(expression.evaluate(values, nullptr)), Value(-20));
  const Value* const missing[] = {&a, nullptr};
  EXPECT_EQ(std::get<Undefined>(expression.evaluate(missing, nullptr)).reason, "`b` is not bound");
}

TEST(Expression, BindsMoreNamesThanFitOnTheStack) {
  Bindings many;
  std::string sum;
  for (int i = 0; i < 100; ++i) {
    many.set("x" + std::to_string(i), i);
    sum += (i > 0 ? " + x" : "x") + std::to_string(i);
  }
  EXPECT_EQ(Expression(sum).integer({&many, nullptr, nullptr}, "sum"), 4950);
}

}  // namespace
}  // namespace attune
