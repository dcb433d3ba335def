// The Python dialect of expressions: what Python itself says of the same text, and what attune refuses.
#include <chrono>
#include <cmath>
#include <fstream>
#include <random>

#include "unit/expression/expression_fixture.hpp"

namespace attune {
namespace {

// As in tests/data/python_expressions.py.
const Bindings& names() {
  static const Bindings bindings = {{"a", 3},         {"b", -7},
                                    {"c", 0},         {"d", 1024},
                                    {"x", 2.5},       {"y", -0.5},
                                    {"z", 0.0},       {"t", true},
                                    {"f", false},     {"s", "rows"},
                                    {"u", "cols"},    {"big", std::int64_t{1} << 62},
                                    {"least", least}, {"odd", (std::int64_t{1} << 53) + 1}};
  return bindings;
}

Expression::Result evaluated(std::string_view text) {
  return Expression(text, Dialect::python).evaluate({nullptr, &names(), nullptr});
}

// "i:5", "U": as the recorded table has it.
std::string shown(const Expression::Result& result) {
  if (std::holds_alternative<Undefined>(result)) return "U";
  const Value& value = std::get<Value>(result);
  if (value.is_boolean()) return value.boolean() ? "b:1" : "b:0";
  if (value.is_integer()) return "i:" + std::to_string(value.integer());
  return (value.is_real() ? "r:" : "n:") + value.text();
}

// Reals are recorded as Python's float.hex().
std::string read_back(const std::string& recorded) {
  return recorded.starts_with("r:") ? shown(Value(std::strtod(recorded.c_str() + 2, nullptr))) : recorded;
}

TEST(PythonDialect, ComputesWhatPythonRecorded) {
  std::ifstream table(ATTUNE_TEST_DATA "/python_expressions.tsv");
  ASSERT_TRUE(table) << "tests/data/python_expressions.tsv is missing";
  int compared = 0, undefined = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    const std::size_t tab = line.find('\t');
    ASSERT_NE(tab, std::string::npos) << line;
    const std::string text = line.substr(0, tab), recorded = line.substr(tab + 1);
    ASSERT_NO_THROW(EXPECT_EQ(shown(evaluated(text)), read_back(recorded)) << text) << text;
    ++compared;
    undefined += recorded == "U" ? 1 : 0;
  }
  EXPECT_GE(compared, 3000);
  EXPECT_GE(compared - undefined, 2000);
}

// A table of expressions and of values as the recorded table has them.
void expect_python_values(std::string_view table) {
  for (const auto& item : cases(table)) EXPECT_EQ(shown(evaluated(item.at(0))), item.at(1)) << item[0];
}

TEST(PythonValue, OfNumbersIsAsDocumented) {
  expect_python_values(R"(
      7 / 2 => r:3.5 ;; 6 / 2 => r:3.0 ;; -7 // 2 => i:-4 ;; 7 // -2 => i:-4 ;; -7 % 3 => i:2 ;; 7 % -3 => i:-2
      -7.5 // 2 => r:-4.0 ;; -7.5 % 2 => r:0.5 ;; 0.0 % -3 => r:-0.0 ;; 2 ** -1 => r:0.5 ;; -2 ** 2 => i:-4
      2 ** 3 ** 2 => i:512 ;; 0 ** -1 => U ;; (-8) ** 0.5 => U ;; 2 ** 63 => U ;; 1 / 0 => U ;; 1 // 0.0 => U
      1 % 0 => U ;; least // -1 => U ;; least % -1 => i:0 ;; -9223372036854775808 => i:-9223372036854775808
      (2**62 + 1) / 3 => r:1537228672809129216.0 ;; 9007199254740993 / 9007199254740992 => r:1.0
      9223372036854775807 / -9223372036854775807 => r:-1.0 ;; 0b101 + 0o17 + 0xfF + 1_000 => i:1275
      1_0.2_5 => r:10.25 ;; True + True => i:2 ;; True & True => b:1 ;; 6 & 3 | 8 => i:10 ;; 1 << 4 >> 2 => i:4
      8 & 8 == 8 => b:1 ;; round(2.5) => i:2 ;; round(-3.5) => i:-4 ;; round(0.49999999999999994) => i:0
      round(4503599627370497.5) => i:4503599627370498 ;; int(-2.9) => i:-2 ;; int(1e19) => U ;; float(3) => r:3.0
      min(2, 1.5, 3) => r:1.5 ;; max(1, True) => i:1 ;; pow(2, 10) => i:1024 ;; abs(b) => i:7)");
}

TEST(PythonValue, OfLogicIsAsDocumented) {
  expect_python_values(R"(
      1 < 2 < 3 => b:1 ;; 1 < 3 < 2 => b:0 ;; 3 > 2 == 2 != 1 => b:1 ;; 2 < 1 < 1 / 0 => b:0
      1 < a in [2, 3] => b:1 ;; 1 < a not in (3,) => b:0 ;; (a or 5) + 1 => i:4 ;; (c or 5) + 1 => i:6
      (c and 1 // 0) + 1 => i:1 ;; (a and b and x) * 2 => r:5.0 ;; ((a == 3) and (b < 0)) + 1 => i:2
      [c or d] [0] => i:1024 ;; a or 1 / 0 => b:1 ;; a and d => b:1 ;; not a => b:0 ;; not a == 4 => b:1
      2 if a > 3 else 4 if a == 3 else 6 => i:4 ;; 1 / 0 if f else 2 => i:2 ;; (c or f) == False => b:1)");
}

TEST(PythonValue, OfNamesAndListsIsAsDocumented) {
  expect_python_values(R"(
      s == 'rows' => b:1 ;; s == 1 => b:0 ;; s != 1 => b:1 ;; s in [1, "rows"] => b:1 ;; s not in [1, 2] => b:1
      a in () => b:0 ;; a in [3, 1 / 0] => U ;; s > u => b:1 ;; s < 1 => U ;; s + u => U ;; s and 1 => U ;; not s => U
      min(s, u) => n:cols ;; [1024, 1024, 64][a - 1] => i:64 ;; (1, 2, 3)[-3] => i:1 ;; [1, 2, 3][3] => U
      [1, 2, 3][-4] => U ;; [1, 2][1.0] => U ;; [1, 2][t] => i:2 ;; [1 / 0, 2][1] => U ;; [][0] => U
      9007199254740993 == 9007199254740992.0 => b:0 ;; unknown => U)");
}

TEST(PythonFailure, SaysWhereAndWhat) {
  const auto table = cases(R"(
      a + => 3 => found the end ;; a b => 2 => expected an operator or the end, found `b` ;; a && b => 2 => write `and`
      a || b => 2 => write `or` ;; !a => 0 => write `not` ;; a ? b : c => 2 => write `a if condition else b`
      a = 1 => 2 => write `==` ;; (a := 1) => 3 => `:=` is not known ;; math.ceil(a) => 4 => attributes and modules
      device.warp_size => 6 => attributes and modules ;; lambda: 1 => 0 => found `lambda` ;; a is 3 => 2 => write `==`
      a == None => 5 => `None` is not known ;; a ^ b => 2 => `^` is not known ;; ~a => 0 => `~` is not known
      a in {1, 2} => 5 => write a list ;; a in (3) => 5 => write [..]
      a in b => 5 => list [..] or (..) that is written out ;; a in range(3) => 5 => list [..] or (..) that is written out
      a in [1] == b => 9 => a list is not compared ;; a == [1] => 5 => before an index ;; (1, 2) => 0 => before an index
      a[0] => 1 => only a list that is written out ;; [1, 2][0][1] => 9 => only a list that is written out
      [1, 2][0:1] => 8 => no slices ;; a if b => 6 => expected `else` ;; 1 + not a => 4 => `not` binds looser
      exec('x') => 0 => unknown function `exec` ;; mni(1, 2) => 0 => did you mean `min`?
      sqrt(2) => 0 => unknown function `sqrt` ;; pow(2, 3, 4) => 0 => pow takes 2 arguments, not 3
      min(a) => 0 => min takes at least 2 arguments ;; '' => 0 => must not be empty
      'a => 0 => never closed ;; 1__0 => 0 => is no number ;; 1_ => 0 => is no number ;; 0x => 0 => is no number
      0777 => 0 => does not start with 0 ;; 9223372036854775808 => 0 => too large ;; 1e999 => 0 => does not fit a double
      a # b => 2 => unexpected `#`)");
  expect_failures(table, Dialect::python);
  expect_failures({{"", "0", "found nothing"}, {"'a\\n'", "2", "escapes"}, {"\xff", "0", "byte 0xff"}},
                  Dialect::python);
}

TEST(PythonDialect, RefusesNestingWithoutACrash) {
  for (const std::string_view part :
       {"(", "[", "-", "not ", "abs(", "1 if ", "1 ** ", "a in [", "[1][", "1 if 1 else "}) {
    for (const std::size_t bytes : {60000, 100000}) {
      const std::string text = repeated(part, bytes / part.size()) + "1";
      EXPECT_THROW(Expression(text, Dialect::python), ExpressionError) << part;
    }
  }
}

TEST(PythonDialect, ReadsLongChainsUpToTheLimit) {
  EXPECT_EQ(shown(evaluated("0" + repeated(" <= 1 >= 0", 400))), "b:1");
  EXPECT_THROW(Expression("0" + repeated(" <= 1", 2000), Dialect::python), ExpressionError);
  EXPECT_EQ(shown(evaluated("1 + (" + repeated("c or ", 900) + "5)")), "i:6");
}

// A middle operand is shared by two comparisons, so that chains inside one another would take 2^depth steps.
TEST(PythonDialect, RefusesSharingThatMultiplies) {
  std::string chain = "a", either = "c";
  for (int i = 0; i < 60; ++i) {
    chain = "(0 < " + chain + " < 9)";
    either = "((" + either + " + 0) or c)";
  }
  for (const std::string& text : {chain, either + " + 1"}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_THROW(Expression(text, Dialect::python), ExpressionError);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  }
}

TEST(PythonDialect, ReadsOrRefusesRandomText) {
  const std::string_view pieces[] = {"a",  "b",  " and ", " or ", "not ", " if ", " else ", " in ", "[",     "]", "(",
                                     ")",  ",",  "<",     "==",   "//",   "**",   "-",      "1",    "0x",    "_", "2.5",
                                     "'s", "\"", "min(",  "\n",   "\xe2", ".",    "1e9",    " ",    "lambda"};
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (auto n = 1 + random() % 14; n > 0; --n) text += pieces[random() % std::size(pieces)];
    try {
      evaluated(text);
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset, text.size());
      EXPECT_LT(std::string_view(error.what()).size(), 1000u);
    }
  }
}

TEST(PythonDialect, IsKeptWithTheExpression) {
  EXPECT_EQ(Expression("a // 2", Dialect::python).dialect(), Dialect::python);
  EXPECT_EQ(Expression("a / 2").dialect(), Dialect::attune);
  EXPECT_EQ(Expression(Value(3)).dialect(), Dialect::attune);
  EXPECT_THAT(Expression("a < b < a", Dialect::python).names(), testing::ElementsAre("a", "b"));
}

TEST(PythonDialect, NamesTheOperationWithoutAValue) {
  const auto reason = [](std::string_view text) { return std::get<Undefined>(evaluated(text)).reason; };
  EXPECT_EQ(reason("1 + [1, 2][a]"), "`[1, 2][a]` indexes outside its list");
  EXPECT_EQ(reason("0 < d // c < 5"), "division by zero in `d // c`");
}

}  // namespace
}  // namespace attune
