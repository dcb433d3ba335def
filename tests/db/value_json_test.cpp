#include "db/value_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr auto least = std::numeric_limits<std::int64_t>::min();
constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(TypedJson, ReadsBackEveryKindExactly) {
  const Bindings bindings{{"off", false},         {"on", true},           {"zero", 0},
                          {"least", least},       {"most", most},         {"whole", 1.0},
                          {"third", 1.0 / 3},     {"tiny", 5e-324},       {"huge", 1.7976931348623157e308},
                          {"up", infinite},       {"down", -infinite},    {"order", "Order::rows"},
                          {"number_like", "1.0"}, {"truth_like", "true"}, {"quoted", "a \"b\" \\ \n é"},
                          {"nothing", ""}};
  const auto back = bindings_from_typed_json(typed_json(bindings));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, bindings);
}

TEST(TypedJson, KeepsNanAndTheSignOfZero) {
  const auto back = bindings_from_typed_json(typed_json({{"nan", std::nan("")}, {"minus", -0.0}}));
  ASSERT_TRUE(back.has_value());
  EXPECT_TRUE(std::isnan(back->at("nan").real()));
  EXPECT_TRUE(std::signbit(back->at("minus").real()));
}

TEST(TypedJson, HasTheDocumentedForm) {
  EXPECT_EQ(typed_json({{"TILE", 32}, {"PAD", true}, {"SCALE", 0.5}, {"T", "float"}}),
            R"([["TILE","integer",32],["PAD","boolean",true],["SCALE","real",0.5],["T","name","float"]])");
  EXPECT_EQ(typed_json({}), "[]");
}

TEST(TypedJson, RefusesWhatItCannotHaveWritten) {
  const char* wrong[] = {"",
                         "{}",
                         "[",
                         R"([["TILE","integer"]])",
                         R"([["TILE","integer",32,1]])",
                         R"([[1,"integer",32]])",
                         R"([["TILE","integer",32.0]])",
                         R"([["TILE","integer","32"]])",
                         R"([["TILE","integer",9223372036854775808]])",
                         R"([["TILE","boolean",1]])",
                         R"([["TILE","real",1]])",
                         R"([["TILE","real","big"]])",
                         R"([["TILE","name",1]])",
                         R"([["TILE","complex",1]])",
                         "[] []"};
  for (const char* text : wrong) EXPECT_FALSE(bindings_from_typed_json(text).has_value()) << text;
}

TEST(TypedJson, RefusesANameThatIsNotUtf8) { EXPECT_THROW(typed_json({{"T", "\xff\xfe"}}), UsageError); }

TEST(NumbersJson, ReadsBackEverySampleExactly) {
  const std::vector<double> samples = {12345.678901234567, 0.1, 1e-300, 3.0};
  EXPECT_EQ(numbers_from_json(numbers_json(samples)), samples);
  EXPECT_EQ(numbers_from_json(numbers_json({})), std::vector<double>());
}

TEST(NumbersJson, TurnsWhatIsNotFiniteIntoNan) {
  const auto back = numbers_from_json(numbers_json({infinite, std::nan(""), 2.0}));
  ASSERT_TRUE(back.has_value() && back->size() == 3);
  EXPECT_TRUE(std::isnan((*back)[0]) && std::isnan((*back)[1]));
  EXPECT_EQ((*back)[2], 2.0);
}

TEST(NumbersJson, RefusesWhatItCannotHaveWritten) {
  for (const char* text : {"", "{}", "[1", R"(["1"])", "[[1]]"})
    EXPECT_FALSE(numbers_from_json(text).has_value()) << text;
}

}  // namespace
}  // namespace attune
