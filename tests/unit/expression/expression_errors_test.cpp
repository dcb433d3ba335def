// Texts that are no expressions: where they go wrong and what the message says.
#include "unit/expression/expression_fixture.hpp"

namespace attune {
namespace {

TEST(ExpressionFailure, OfGrammarSaysWhereAndWhat) {
  expect_failures(cases(R"(
      1 + => 3 => expected a value, found the end  ;;  * 2 => 0 => expected a value, found `*`
      1 2 => 2 => expected an operator or the end, found `2`  ;;  (1 + 2 => 6 => expected `)` for the `(` at character 1
      1) => 1 => found `)`  ;;  a ? b => 5 => expected `:`  ;;  a ? : b => 4 => expected a value
      a in b => 5 => expected `[` after `in`  ;;  a in [1 2] => 8 => expected `,` or `]`
      a not b => 6 => expected `in` after `not`  ;;  in [1] => 0 => expected a value before `in`
      [1] => 0 => a list stands only after `in`  ;;  a == [1] => 5 => a list stands only after `in`
      a[0] => 1 => a list stands only after `in`  ;;  a && => 4 => found the end
      min(1, 2 => 8 => expected `,` or `)`  ;;  a == not b => 5 => `not` binds looser  ;;  - => 1 => found the end
      () => 1 => expected a value  ;;  a in [1 => 7 => expected `,` or `]`
      a < b < c => 6 => a < b && b < c  ;;  a == b == c => 7 => do not chain  ;;  a in [1] == b => 9 => do not chain
      a < b in [1] => 6 => do not chain  ;;  a < b not in [1] => 6 => do not chain)"));
  expect_failures({{"", "0", "found nothing"}, {"   ", "3", "found nothing"}});
}

TEST(ExpressionFailure, OfWordsAndNumbersSaysWhereAndWhat) {
  expect_failures(cases(R"(
      a @ b => 2 => unexpected `@`  ;;  a = b => 2 => write `==`  ;;  a ^ b => 2 => `**`
      a // b => 2 => truncates already  ;;  ~a => 0 => not known  ;;  a.b => 1 => unexpected `.`
      ORDER == Order::rows => 14 => must stand in quotes  ;;  'abc => 0 => never closed
      1 + "a\nb" => 4 => never closed  ;;  '' => 0 => must not be empty  ;;  a $ b => 2 => unexpected `$`
      a; => 1 => unexpected `;`  ;;  9223372036854775808 => 0 => too large  ;;  99999999999999999999 => 0 => too large
      1 - 9223372036854775808 => 4 => too large  ;;  0x8000000000000000 => 0 => too large
      -9223372036854775809 => 1 => too large  ;;  -9223372036854775808 ** 2 => 1 => too large
      1e999 => 0 => does not fit a double  ;;  12abc => 0 => `12abc` is no number  ;;  0x => 0 => is no number
      0xg => 0 => is no number  ;;  1_000 => 0 => is no number  ;;  1.2.3 => 0 => is no number
      1e => 0 => is no number  ;;  010 => 0 => does not start with 0  ;;  2 * 3f => 4 => is no number)"));
  expect_failures({{"a + \xc3\xa9", "4", "byte 0xc3"}, {std::string("a\0b", 3), "1", "byte 0x00"}});
}

TEST(ExpressionFailure, OfFunctionsAndDevicesSaysWhereAndWhat) {
  expect_failures(cases(R"(
      1 + cel_div(1, 2) => 4 => unknown function `cel_div`; did you mean `ceil_div`?
      frobnicate(1) => 0 => known: min, max  ;;  min(1) => 0 => min takes at least 2 arguments, not 1
      max() => 0 => max takes at least 2 arguments, not 0  ;;  sqrt(1, 2) => 0 => sqrt takes 1 argument, not 2
      ceil_div(1) => 0 => ceil_div takes 2 arguments, not 1  ;;  ceil_div(1, 2, 3) => 0 => not 3
      abs() => 0 => abs takes 1 argument, not 0  ;;  sizeof(1) => 7 => sizeof takes a type
      sizeof() => 7 => sizeof takes a type  ;;  sizeof('flaot') => 7 => unknown type `flaot`; did you mean `float`?
      epsilon(T, U) => 9 => takes one name  ;;  sizeof(n * 2) => 9 => takes one name
      device.warpsize => 7 => unknown device property `warpsize`; did you mean `warp_size`?
      1 + device.foo_bar_baz => 11 => known: multiprocessors  ;;  device => 0 => needs a property
      device. => 7 => unknown device property)"));
}

TEST(ExpressionFailure, OfHostileTextsIsOfTheirDepthOrLength) {
  const std::string deep = "nested more than 200 deep", long_chain = "more than 1000 operators in a row";
  expect_failures({{repeated("(", 60000), "200", deep},
                   {repeated("-", 60000), "199", deep},
                   {repeated("!", 60000), "199", deep},
                   {repeated("not ", 15000), "796", deep},
                   {repeated("2**", 20000) + "1", "598", deep},
                   {repeated("1?1:", 15000) + "1", "798", deep},
                   {repeated("abs(", 15000), "800", deep},
                   {repeated("1 in [", 10000), "1200", deep},
                   {repeated("1+", 30000) + "1", "0", long_chain},
                   {repeated("1||", 20000) + "1", "0", long_chain},
                   {repeated("x", 65537), "65536", "an expression of 65537 bytes; the most is 65536"}});
}

TEST(Expression, TakesLongTextsWithinItsLimits) {
  EXPECT_EQ(Expression(repeated("1+", 900) + "1").integer(Scope{}, "sum"), 901);
  EXPECT_EQ(Expression(repeated("(", 190) + "1" + repeated(")", 190)).integer(Scope{}, "nest"), 1);
  EXPECT_TRUE(Expression("7 in [" + repeated("0, ", 10000) + "7]").holds(Scope{}));
  std::string names = "0 in [";
  for (int i = 0; i < 9000; ++i) names += "x" + std::to_string(i) + ", ";
  EXPECT_EQ(Expression(names + "0]").names().size(), 9000u);
}

TEST(Expression, QuotesLongTextsInPart) {
  const std::string text = repeated("aaaa + ", 500) + "@";
  try {
    const Expression expression(text);
    FAIL();
  } catch (const ExpressionError& error) {
    EXPECT_EQ(error.offset, text.size() - 1);
    EXPECT_LT(std::string(error.what()).size(), 300u);
    EXPECT_THAT(error.what(), testing::HasSubstr("+ @"));
  }
}

}  // namespace
}  // namespace attune
