#include "db/value_json.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "attune/error.hpp"
#include "db/field_values.hpp"

namespace attune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(TypedJson, ReadsBackEveryKindExactly) {
  test::RandomFields random(1);
  for (int round = 0; round < 2000; ++round) {
    Bindings bindings;
    random("", bindings);
    const std::string text = typed_json(bindings);
    const auto back = bindings_from_typed_json(text);
    ASSERT_TRUE(back.has_value()) << text;
    ASSERT_EQ(*back, bindings) << text;
  }
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
  for (const char* text :
       {"", "{}", "[", R"([["TILE","integer"]])", R"([["TILE","integer",32,1]])", R"([[1,"integer",32]])",
        R"([["TILE","integer",32.0]])", R"([["TILE","integer","32"]])", R"([["TILE","integer",9223372036854775808]])",
        R"([["TILE","boolean",1]])", R"([["TILE","real",1]])", R"([["TILE","real","big"]])", R"([["TILE","name",1]])",
        R"([["TILE","complex",1]])", "[] []"})
    EXPECT_FALSE(bindings_from_typed_json(text).has_value()) << text;
  EXPECT_THROW(typed_json({{"T", "\xff\xfe"}}), UsageError) << "a name that is not UTF-8";
}

TEST(NumbersJson, ReadsBackEverySampleExactlyAndWhatIsNotFiniteAsNan) {
  test::RandomFields random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> samples;
    random("", samples);
    std::erase_if(samples, [](double sample) { return std::isnan(sample); });
    ASSERT_EQ(numbers_from_json(numbers_json(samples)), samples) << numbers_json(samples);
  }
  const auto back = numbers_from_json(numbers_json({infinite, std::nan(""), 2.0}));
  ASSERT_TRUE(back.has_value() && back->size() == 3);
  EXPECT_TRUE(std::isnan((*back)[0]) && std::isnan((*back)[1]));
  EXPECT_EQ((*back)[2], 2.0);
  for (const char* text : {"", "{}", "[1", R"(["1"])", "[[1]]"})
    EXPECT_FALSE(numbers_from_json(text).has_value()) << text;
}

}  // namespace
}  // namespace attune
