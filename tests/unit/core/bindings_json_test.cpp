#include "core/bindings_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(BindingsJson, HasTheDocumentedForm) {
  EXPECT_EQ(bindings_json({{"TILE", 32}, {"PAD", true}, {"SCALE", 0.5}, {"WHOLE", 2.0}, {"T", "float"}}),
            R"({"TILE":32,"PAD":true,"SCALE":0.5,"WHOLE":2.0,"T":"float"})");
  EXPECT_EQ(bindings_json({}), "{}");
}

TEST(BindingsJson, ReadsBackEveryKindExactly) {
  const Value values[] = {true,
                          false,
                          0,
                          -1,
                          std::numeric_limits<std::int64_t>::min(),
                          std::numeric_limits<std::int64_t>::max(),
                          0.0,
                          0.1,
                          1e22,
                          1.0 / 3,
                          5e-324,
                          1.7976931348623157e308,
                          -2.5e-7,
                          "",
                          "1",
                          "true",
                          "ns::naïve",
                          "a \"b\" \\ \n\t\x01 é /"};
  Bindings all;
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const Bindings one{{"P", values[i]}};
    EXPECT_EQ(bindings_of_json(bindings_json(one)), one) << bindings_json(one);
    all.set("p\"" + std::to_string(i), values[i]);
  }
  EXPECT_EQ(bindings_of_json(bindings_json(all)), all);
  const auto zero = bindings_of_json(bindings_json({{"minus", -0.0}}));
  ASSERT_TRUE(zero);
  EXPECT_TRUE(std::signbit(zero->at("minus").real()));
}

// One text per value: the hash of a record counts on it.
TEST(BindingsJson, RefusesWhatItCannotHaveWritten) {
  for (const char* text : {"",
                           "[]",
                           "{",
                           "{} ",
                           " {}",
                           R"({"a":1,})",
                           R"({"a" :1})",
                           R"({"a": 1})",
                           R"({"a":01})",
                           R"({"a":+1})",
                           R"({"a":1.50})",
                           R"({"a":1E5})",
                           R"({"a":1e5,"b"})",
                           R"({"a":null})",
                           R"({"a":[1]})",
                           R"({"a":{}})",
                           R"({"a":9223372036854775808})",
                           R"({"a":1e999})",
                           R"({"a":"\u0041"})",
                           R"({"a":"\/"})",
                           R"({"a":"x)",
                           R"({a:1})",
                           "{\"a\":\"\xff\"}",
                           "{\"a\":\"\n\"}",
                           R"({"a":1,"a":2})",
                           R"({"a":tru})"})
    EXPECT_FALSE(bindings_of_json(text)) << text;
}

TEST(BindingsJson, CannotHoldWhatJsonCannot) {
  EXPECT_THROW(bindings_json({{"T", "\xff\xfe"}}), UsageError);
  for (const double value : {infinite, -infinite, std::nan("")})
    EXPECT_THROW(bindings_json({{"SCALE", value}}), UsageError) << value;
}

}  // namespace
}  // namespace attune
