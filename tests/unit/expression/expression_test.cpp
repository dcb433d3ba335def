// What expressions are worth, and where they have no value.
#include "unit/expression/expression_fixture.hpp"

namespace attune {

void PrintTo(const Value& value, std::ostream* out) { *out << static_cast<int>(value.kind()) << ":" << value.text(); }

namespace {

Value value_of(const std::string& text) {
  const auto result = evaluate(text);
  if (const auto* undefined = std::get_if<Undefined>(&result)) return Value(text + ": " + undefined->reason);
  return std::get<Value>(result);
}

// A table of expressions and literals of the same value and kind.
void expect_values(std::string_view table) {
  for (const auto& item : cases(table)) EXPECT_EQ(value_of(item.at(0)), value_of(item.at(1))) << item[0];
}

TEST(ExpressionValue, OfLiterals) {
  const std::pair<const char*, Value> literals[] = {{"0", 0},
                                                    {"42", 42},
                                                    {"9223372036854775807", most},
                                                    {"-9223372036854775808", least},
                                                    {"0x10", 16},
                                                    {"0XfF", 255},
                                                    {"- 9223372036854775808", least},
                                                    {"0x7fffffffffffffff", most},
                                                    {"1.5", 1.5},
                                                    {"1.", 1.0},
                                                    {"-0x8000000000000000", least},
                                                    {".5", 0.5},
                                                    {"1e-3", 1e-3},
                                                    {"1E+3", 1000.0},
                                                    {"2.5e2", 250.0},
                                                    {"true", true},
                                                    {"false", false},
                                                    {"'float'", "float"},
                                                    {"\"Order::rows\"", "Order::rows"},
                                                    {" \t\n\r 7 \n", 7}};
  for (const auto& [text, value] : literals) EXPECT_EQ(value_of(text), value) << text;
}

TEST(ExpressionValue, OfArithmetic) {
  expect_values(R"(
      1 + 2 => 3 ;; 5 - 7 => -2 ;; 6 * 7 => 42 ;; 7 / 2 => 3 ;; -7 / 2 => -3 ;; 7 / -2 => -3 ;; 7 % 3 => 1
      -7 % 3 => -1 ;; 7 % -3 => 1 ;; least % -1 => 0 ;; 7 / 2.0 => 3.5 ;; 7.5 % 2 => 1.5 ;; 1 + 0.5 => 1.5
      2 * RATIO => 1.0 ;; true + true => 2 ;; FAST * 3 => 3 ;; -true => -1 ;; +true => 1 ;; -RATIO => -0.5
      1 - 2 - 3 => -4 ;; 16 / 4 / 2 => 2 ;; 1 + 2 * 3 => 7 ;; (1 + 2) * 3 => 9 ;; - -3 => 3 ;; +5 => 5
      2 ** 10 => 1024 ;; 2 ** 62 => 4611686018427387904 ;; 2 ** 3 ** 2 => 512 ;; -2 ** 2 => -4 ;; (-2) ** 2 => 4
      (-2) ** 63 => least ;; 0 ** 0 => 1 ;; 0 ** 5 => 0 ;; 1 ** 9223372036854775807 => 1 ;; 2.0 ** -1 => 0.5
      (-1) ** 9223372036854775807 => -1 ;; 2 ** 0.5 * 2 ** 0.5 > 1.99 => true ;; 2 ** -1.0 => 0.5
      2 * 3 ** 2 => 18 ;; 2.0 ** +2 => 4.0 ;; 3037000499 * -3037000499 => -9223372030926249001
      -4294967296 * 2147483648 => least)");
}

TEST(ExpressionValue, OfBits) {
  // Tighter than comparisons, unlike C; & tighter than |; shifts tighter than both, sums tighter than shifts.
  expect_values(R"(
      1 << 4 => 16 ;; -1 << 63 => least ;; 256 >> 4 => 16 ;; -1 >> 63 => -1 ;; 1 >> 63 => 0 ;; 6 & 3 => 2
      6 | 3 => 7 ;; 0 << 63 => 0 ;; true & false => false ;; true | false => true ;; true & 3 => 1
      6 & 3 == 2 => true ;; 4 | 2 == 6 => true ;; 1 | 6 & 2 => 3 ;; 1 << 2 + 1 => 8 ;; 3 & 1 << 1 => 2)");
}

TEST(ExpressionValue, OfComparisons) {
  // As doubles, both sides of `most == 2^63` are equal.
  expect_values(R"(
      1 == 1.0 => true ;; 1 != 2 => true ;; 1 < 2 => true ;; 2 < 2 => false ;; 2 > 2 => false ;; 2 <= 2 => true
      3 > 4 => false ;; 4 >= 4 => true ;; true == 1 => true ;; false < 1 => true ;; T == 'float' => true
      T != "double" => true ;; ORDER == "Order::rows" => true ;; most == 9223372036854775808.0 => false
      most < 9223372036854775808.0 => true ;; 2**53 + 1 > 2.0**53 => true ;; TILE in [16, 32] => true
      TILE not in [16, 32] => false ;; TILE in [] => false ;; TILE not in [] => true ;; TILE * 2 in [64,] => true
      T in ['int32', 'int64'] => false ;; T in ['int32', 'float'] => true ;; TILE in [1 + 31] => true
      (TILE > 8) in [true] => true ;; 32.0 in [TILE] => true)");
}

TEST(ExpressionValue, OfLogic) {
  expect_values(R"(
      true && false => false ;; true || false => true ;; true and not false => true ;; false or true => true
      2 && 0.5 => true ;; 0 || 0.0 => false ;; !0 => true ;; !TILE => false ;; !!TILE => true
      not TILE == 32 => false ;; !TILE == 32 => false ;; not not true => true ;; true || true && false => true
      not false && false => false ;; false && 1 / zero => false ;; true || 1 / zero => true
      TILE ? 1 : 1 / zero => 1 ;; zero ? 1 / zero : 2 => 2 ;; false ? 1 : true ? 2 : 3 => 2
      true ? false ? 1 : 2 : 3 => 2 ;; 1 < 2 ? 'a' : 'b' => 'a' ;; false || true ? 1 : 2 => 1)");
}

TEST(ExpressionValue, OfFunctions) {
  expect_values(R"(
      min(3, 1, 2) => 1 ;; max(3, 1, 2) => 3 ;; min(1, 2.5) => 1.0 ;; max(true, 0) => 1 ;; max(most, least) => most
      abs(-5) => 5 ;; abs(-2.5) => 2.5 ;; abs(true) => 1 ;; sqrt(16) => 4.0 ;; floor(2.7) => 2 ;; floor(-2.1) => -3
      ceil(2.1) => 3 ;; floor(7) => 7 ;; floor(1e300) => 1e300 ;; floor(-9223372036854775808.0) => least
      ceil(9223372036854775807.0) => 9223372036854775808.0 ;; ceil_div(7, 2) => 4 ;; ceil_div(-7, 2) => -3
      ceil_div(7, -2) => -3 ;; ceil_div(-7, -2) => 4 ;; ceil_div(8, 2) => 4 ;; ceil_div(most, 1) => most
      ceil_div(7.0, 2) => 4.0 ;; round_up(10, 8) => 16 ;; round_up(16, 8) => 16 ;; round_up(0, 8) => 0
      log2(1) => 0 ;; log2(1024) => 10 ;; log2(4611686018427387904) => 62 ;; log2(8.0) => 3.0 ;; log2(3) > 1.58 => true
      is_pow2(64) => true ;; is_pow2(0) => false ;; is_pow2(-4) => false ;; is_pow2(48) => false ;; is_pow2(1) => true
      sizeof(T) => 4 ;; sizeof(H) => 2 ;; sizeof(double) => 8 ;; sizeof('int64') => 8 ;; sizeof(float4) => 16
      epsilon(T) => 1.1920928955078125e-07 ;; epsilon(double) => 2.220446049250313e-16 ;; epsilon(H) => 0.0009765625
      epsilon('bfloat16') => 0.0078125 ;; epsilon(int32) => 0.0 ;; min(TILE == 0 ? 1 : 2, 3) => 2 ;; min (1, 2,) => 1)");
}

TEST(ExpressionValue, OfDevices) {
  expect_values(R"(
      device.multiprocessors => 132 ;; device.compute_capability => 90 ;; device.shared_per_block => 232448
      device.max_threads_per_block => 1024 ;; device.warp_size * 2 => 64 ;; device.kind == 'cuda' => true
      device.max_block_z => 64 ;; device.max_grid_x => 2147483647 ;; device.max_grid_y => 65535
      device.shared_static_limit => 49152)");
}

// As the examples of docs/expressions.md say.
TEST(Expression, IsWorthWhatTheDocumentationSays) {
  const Bindings names = {{"TILE", 32}, {"VECTOR", 2}, {"ROWS", 8}, {"n", 1 << 28}, {"T", "float"}, {"K", 0}};
  const auto value = [&](const char* text) {
    return std::get<Value>(Expression(text).evaluate({&names, nullptr, &device()}));
  };
  EXPECT_EQ(value("ceil_div(1000, 256) * 256"), Value(1024));
  EXPECT_EQ(value("TILE / VECTOR * ROWS in [64, 128]"), Value(true));
  EXPECT_EQ(value("min(ceil_div(n, 256), 16 * device.multiprocessors)"), Value(2112));
  EXPECT_EQ(value("T in ['int32', 'int64'] ? 0 : 4 * epsilon(T)").text(), "4.76837158203125e-07");
  EXPECT_EQ(value("K == 0 || n % K == 0"), Value(true));
}

// A table of expressions and of why they have no value.
void expect_undefined(std::string_view table) {
  for (const auto& item : cases(table)) {
    const auto result = evaluate(item.at(0));
    ASSERT_TRUE(std::holds_alternative<Undefined>(result)) << item[0] << ": " << std::get<Value>(result).text();
    EXPECT_THAT(std::get<Undefined>(result).reason, testing::HasSubstr(item.at(1))) << item[0];
    EXPECT_FALSE(Expression(item[0]).holds(scope()));
  }
}

TEST(ExpressionUndefined, ByOverflow) {
  expect_undefined(R"(
      most + 1 => overflow in `most + 1` ;; least - 1 => overflow ;; most * 2 => overflow ;; least * -1 => overflow
      least / -1 => overflow ;; -least => overflow ;; abs(least) => overflow ;; 2 ** 63 => overflow in `2 ** 63`
      (-2) ** 64 => overflow ;; 3 ** 9223372036854775807 => overflow ;; 1 << 63 => overflow ;; 2 << 62 => overflow
      -3 << 62 => overflow ;; ceil_div(least, -1) => overflow ;; round_up(most, 2) => overflow
      3037000500 * 3037000500 => overflow ;; -4294967296 * 2147483649 => overflow
      1e308 * 10 => overflow ;; -1e308 - 1e308 => overflow ;; 10.0 ** 400 => overflow ;; 1e308 / 1e-308 => overflow
      1 + (2 + most) * 0 => overflow in `2 + most`)");
}

TEST(ExpressionUndefined, OutsideADomain) {
  expect_undefined(R"(
      1 / zero => division by zero in `1 / zero` ;; 1 % zero => division by zero ;; 1.0 / 0 => division by zero
      1.5 % 0 => division by zero ;; ceil_div(1, 0) => division by zero ;; ceil_div(1.0, 0) => division by zero
      round_up(1, 0) => division by zero ;; 0.0 ** -1 => division by zero ;; 2 ** -1 => negative exponent
      (-8) ** 0.5 => power of a negative number ;; log2(0) => logarithm ;; log2(-1.0) => logarithm
      sqrt(-1) => square root ;; 1 << 64 => shift count ;; 1 << -1 => shift count ;; 1 >> 64 => shift count
      1 >> -1 => shift count)");
}

TEST(ExpressionUndefined, ByTheKindOfAValue) {
  expect_undefined(R"(
      T == 1 => compares a name with a number ;; 1 != T => compares a name with a number ;; T < 1 => compares a name
      T < 'z' => orders names ;; T in ['a', 1] => compares a name ;; (1 + 2) in [T] => `(1 + 2) in [T]` compares a name
      T + 1 => computes with a name ;; -T => computes with a name ;; +T => computes with a name
      min(T, 1) => computes with a name ;; abs(T) => computes with a name ;; sqrt(T) => computes with a name
      floor(T) => computes with a name ;; log2(T) => computes with a name ;; 1.5 & 1 => needs integers
      1 | 2.0 => needs integers ;; 1.0 << 2 => needs integers ;; 2 >> RATIO => needs integers
      is_pow2(2.0) => needs integers ;; is_pow2(T) => needs integers ;; !T => takes a name for true or false
      T && true => takes a name ;; true && T => takes a name ;; T ? 1 : 2 => takes a name
      sizeof(ORDER) => no type ;; epsilon(TILE) => no type)");
}

TEST(ExpressionUndefined, ByANameThatIsNotBound) {
  expect_undefined(R"(
      X => `X` is not bound ;; 1 + X * 2 => `X` is not bound ;; sizeof(U) => `U` is not bound
      X && false => `X` is not bound ;; TILE in [X, 32] => `X` is not bound ;; X in [] => `X` is not bound
      X ? 1 : 1 => `X` is not bound ;; 1 + (2 * (3 + zero) / zero) => in `2 * (3 + zero) / zero`)");
}

}  // namespace
}  // namespace attune
