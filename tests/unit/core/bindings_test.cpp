#include "attune/bindings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "support/cases.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

TEST(Value, HasOneTextPerValueOfAKind) {
  const std::pair<Value, const char*> texts[] = {{-5, "-5"},     {true, "true"},   {"Order::rows", "Order::rows"},
                                                 {1.0, "1.0"},   {0.1, "0.1"},     {1234567.0, "1234567.0"},
                                                 {-2.5, "-2.5"}, {1e300, "1e+300"}};
  for (const auto& [value, text] : texts) EXPECT_EQ(value.text(), text);
}

TEST(Value, NeverMixesKinds) {
  EXPECT_NE(Value(1), Value(1.0));
  EXPECT_NE(Value(1), Value(true));
  EXPECT_EQ(Value(1), Value(std::uint8_t{1}));
  EXPECT_LT(Value(true), Value(0));
  EXPECT_LT(Value(3), Value(4));
}

TEST(Bindings, KeepTheOrderInWhichNamesWereBound) {
  Bindings bindings = {{"b", 1}, {"a", 2}};
  bindings.set("c", 0.5);
  bindings.set("b", "x");
  EXPECT_EQ(bindings.text(), "b=x a=2 c=0.5");
  EXPECT_EQ(Bindings().text(), "");
  EXPECT_EQ(bindings.size(), 3u);
}

TEST(Bindings, FindWhatIsBound) {
  const Bindings bindings = {{"TILE", 32}};
  ASSERT_NE(bindings.find("TILE"), nullptr);
  EXPECT_EQ(*bindings.find("TILE"), Value(32));
  EXPECT_EQ(bindings.find("TIL"), nullptr);
  EXPECT_EQ(bindings.at("TILE"), Value(32));
  EXPECT_EQ(message_of<Error>([&] { bindings.at("TIEL"); }), "`TIEL` is not bound; did you mean `TILE`?");
}

TEST(ParseBindings, ReadsNumbersNamesAndFormulasAndItsOwnText) {
  const Bindings bindings =
      parse_bindings("  n=2**28 T=float ORDER=Order::rows\tFAST=true x=-0.5 y='a b' z=min(3,4)\nhex=0x10 ");
  const Bindings expected = {{"n", 1 << 28}, {"T", "float"}, {"ORDER", "Order::rows"},
                             {"FAST", true}, {"x", -0.5},    {"y", "a b"},
                             {"z", 3},       {"hex", 16}};
  EXPECT_EQ(bindings, expected);
  EXPECT_TRUE(parse_bindings(" \n ").empty());
  const Bindings own = {
      {"a", std::numeric_limits<std::int64_t>::min()}, {"b", 0.1}, {"c", 1e300}, {"d", false}, {"e", "Order::rows"}};
  EXPECT_EQ(parse_bindings(own.text()), own);
}

TEST(ParseBindings, NamesTheItemThatIsBad) {
  for (const auto& item : cases(R"(
      n => `n`: expected name=value ;; a=1 n => `n`: expected name=value ;; n= => `n=`: expected a value
      =5 => expected a name before the `=` ;; 2n=5 => expected a name before the `=`, found `2n`
      n=2**63 => `n=2**63`: overflow ;; n=1/0 => division by zero ;; n=9223372036854775808 => too large
      n=m*2 => `m` is a name inside a formula ;; n=2* => expected a constant ;; n=1 n=2 => `n` is given twice
      n=a:: => expected a constant ;; n=device.warp_size => no device ;; n='abc => never closed)"))
    EXPECT_THAT(message_of<UsageError>([&] { parse_bindings(item.at(0)); }), testing::HasSubstr(item.at(1)));
}

}  // namespace
}  // namespace attune
