// Near names, types, verdicts, rungs and efforts: the small tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

#include "attune/error.hpp"
#include "attune/match.hpp"
#include "attune/type_of.hpp"
#include "base/counted.hpp"
#include "base/enum_texts.hpp"
#include "base/near_name.hpp"
#include "base/visible_text.hpp"
#include "core/record.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "core/verdict.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

const std::vector<std::string> known = {"TILE", "ROWS", "shared_per_block", "shared_per_multiprocessor", "n"};

TEST(NearName, FindsWhatWasMisspeltAndNothingFarAway) {
  EXPECT_EQ(nearest_name("TIEL", known), "TILE");
  EXPECT_EQ(nearest_name("tile", known), "TILE");
  EXPECT_EQ(nearest_name("ROW", known), "ROWS");
  EXPECT_EQ(nearest_name("shared_pre_blocks", known), "shared_per_block");
  EXPECT_EQ(nearest_name("TILE", known), "TILE");
  for (const std::string& far : {std::string("frobnicate"), std::string("x"), std::string(), std::string(1 << 20, 'x')})
    EXPECT_EQ(nearest_name(far, known), std::nullopt);
  EXPECT_EQ(nearest_name("TILE", {}), std::nullopt);
}

TEST(NearName, TakesTheNearerAndThenTheFirst) {
  EXPECT_EQ(nearest_name("blocks", {"block_x", "block"}), "block");
  EXPECT_EQ(nearest_name("ab1", {"ab2", "ab3"}), "ab2");
}

TEST(NearName, SuggestsOrLists) {
  EXPECT_EQ(suggestion("TIEL", known), "; did you mean `TILE`?");
  EXPECT_EQ(suggestion("frobnicate", {"A", "B"}), "; known: A, B");
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(TypeTable, HasSizesAndSpellingsOfCppAndNamesTheNearestType) {
  EXPECT_EQ(type_named("int64").spelling, "long long");
  EXPECT_EQ(type_named("int64").size, sizeof(long long));
  EXPECT_EQ(type_named("uint8").spelling, "unsigned char");
  EXPECT_EQ(type_named("half").spelling, "__half");
  EXPECT_EQ(type_named("double").size, 8u);
  EXPECT_EQ(type_named("float4").element, "float");
  EXPECT_EQ(find_type("flaot"), nullptr);
  EXPECT_EQ(message_of<UsageError>([] { type_named("flaot"); }), "unknown type `flaot`; did you mean `float`?");
}

TEST(TypeTable, NamesItsOwnForThoseOfCpp) {
  for (const auto& [foreign, own] : std::vector<std::pair<std::string, std::string>>{{"int", "int32"},
                                                                                     {"long", "int64"},
                                                                                     {"long long", "int64"},
                                                                                     {"unsigned", "uint32"},
                                                                                     {"char", "int8"},
                                                                                     {"size_t", "uint64"},
                                                                                     {"int64_t", "int64"},
                                                                                     {"__half", "half"},
                                                                                     {"__nv_bfloat16", "bfloat16"}})
    EXPECT_EQ(message_of<UsageError>([&] { type_named(foreign); }),
              "unknown type `" + foreign + "`; did you mean `" + own + "`?");
  EXPECT_EQ(own_type_name("int16"), "int16");
  EXPECT_EQ(own_type_name("frobnicate"), "frobnicate");
}

TEST(Counted, HasOneOrMany) {
  EXPECT_EQ(counted(std::int64_t{0}, "trial"), "0 trials");
  EXPECT_EQ(counted(std::int64_t{1}, "trial"), "1 trial");
  EXPECT_EQ(counted(std::size_t{2}, "legal configuration"), "2 legal configurations");
}

TEST(TypeTable, VectorsAreAsLargeAsTheirElements) {
  for (const auto& type : type_table()) {
    const TypeInfo& element = type_named(type.element);
    EXPECT_EQ(type.size, type.components * element.size) << type.name;
    EXPECT_EQ(type.type_class, element.type_class) << type.name;
    EXPECT_EQ(type.epsilon, element.epsilon) << type.name;
    EXPECT_EQ(element.components, 1u) << type.name;
  }
}

TEST(TypeTable, KnowsTheTypesThatApplicationsPass) {
  for (const std::string_view name :
       {TypeOf<bool>::name,          TypeOf<char>::name,     TypeOf<unsigned char>::name, TypeOf<short>::name,
        TypeOf<int>::name,           TypeOf<unsigned>::name, TypeOf<long long>::name,     TypeOf<unsigned long>::name,
        TypeOf<float>::name,         TypeOf<double>::name,   TypeOf<__half>::name,        TypeOf<__nv_bfloat16>::name,
        TypeOf<float2>::name,        TypeOf<float4>::name,   TypeOf<double2>::name,       TypeOf<int2>::name,
        TypeOf<int4>::name,          TypeOf<uint2>::name,    TypeOf<uint4>::name,         TypeOf<__half2>::name,
        TypeOf<__nv_bfloat162>::name}) {
    EXPECT_NE(find_type(name), nullptr) << name;
  }
}

enum class Size { small, large };
template <typename... Texts>
constexpr bool are_texts_of_sizes = std::is_constructible_v<EnumTexts<Size>, Texts...>;
static_assert(are_texts_of_sizes<const char*, const char*>);
static_assert(!are_texts_of_sizes<const char*> && !are_texts_of_sizes<const char*, const char*, const char*>);

TEST(EnumTexts, EndWithTheLastValue) {
  constexpr EnumTexts<Size> texts("small", "large");
  EXPECT_EQ(texts[Size::large], "large");
  for (const int none : {2, 3, -1}) EXPECT_EQ(texts[static_cast<Size>(none)], "unknown");
  EXPECT_EQ(texts.find("large"), Size::large);
  EXPECT_EQ(texts.find("unknown"), std::nullopt);
}

TEST(Verdict, ReadsBackFromItsText) {
  for (int i = 0; i < enum_size<Verdict>(); ++i)
    EXPECT_EQ(verdict_from_text(to_text(static_cast<Verdict>(i))), static_cast<Verdict>(i));
  EXPECT_EQ(enum_size<Verdict>(), 15);
  EXPECT_EQ(to_text(Verdict::wrong_result), "wrong_result");
  EXPECT_EQ(to_text(Verdict::quarantined), "quarantined");
  EXPECT_EQ(verdict_from_text("bad"), std::nullopt);
  EXPECT_EQ(verdict_from_text(""), std::nullopt);
}

TEST(Rung, HasATextForEachGrade) {
  EXPECT_EQ(to_text(Rung::exact), "exact");
  EXPECT_EQ(to_text(Rung::near_problem), "near problem");
  EXPECT_EQ(to_text(Rung::sibling_device), "sibling device");
  EXPECT_EQ(to_text(Rung::none), "none");
  EXPECT_EQ(to_text(Rung::other_problem), "other problem");
}

TEST(Effort, ReadsBackFromItsText) {
  for (const Effort effort : {Effort::estimate, Effort::measure, Effort::patient, Effort::exhaustive}) {
    EXPECT_EQ(effort_from_text(to_text(effort)), effort);
  }
  EXPECT_THROW(effort_from_text("measured hard"), UsageError);
}

TEST(VisibleText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible_text("a\tb\r\nc"), "a\tb\nc");
  EXPECT_EQ(visible_text("\x1b]0;title\x07\rgone\x7f\b"), "\\x1b]0;title\\x07\\x0dgone\\x7f\\x08");
  EXPECT_EQ(visible_text(std::string("nul\0", 4)), "nul\\x00");
}

TEST(VisibleText, KeepsCharactersOfUtf8AndShowsOtherBytes) {
  const std::string kept = "\xc2\xb5s \xc3\xa9 \xe2\x82\xac \xf0\x9f\x99\x82";
  EXPECT_EQ(visible_text(kept), kept);
  const std::pair<std::string, std::string> shown[] = {
      {"\xc2\x9b", "\\x9b"},                         // U+009B begins a sequence, as ESC [ does
      {"\xc1\x9b", "\\xc1\\x9b"},                    // too long
      {"\xe0\x82\x9b", "\\xe0\\x82\\x9b"},           // too long
      {"\xf0\x80\x82\x9b", "\\xf0\\x80\\x82\\x9b"},  // too long
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"},           // half a pair of UTF-16
      {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},  // beyond U+10FFFF
      {"\x9b", "\\x9b"},                             // alone
      {"\xe2\x82", "\\xe2\\x82"},                    // cut off
  };
  for (const auto& [text, visible] : shown) EXPECT_EQ(visible_text(text + "2J"), visible + "2J");
}

}  // namespace
}  // namespace attune
