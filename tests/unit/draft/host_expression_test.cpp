// Expressions of host code in attune's words.
#include "draft/host_expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace attune::draft {
namespace {

// n and m are names of the problem, TILE is a parameter, T its type; the others stand for C++.
std::optional<Meaning> known(const std::string& name) {
  static const std::map<std::string, Meaning> meanings = {
      {"n", {"n", ""}},        {"count", {"m", ""}},         {"TILE", {"TILE", ""}},
      {"T", {"T", ""}},        {"threads", {"", "256"}},     {"block.x", {"", "32"}},
      {"half", {"", "n / 2"}}, {"again", {"", "again + 1"}}, {"blocks", {"", "(n + threads - 1) / threads"}},
      {"size", {"", "n + m"}}, {"wide", {"", "TILE * 2"}},   {"m", {"m", ""}}};
  const auto found = meanings.find(name);
  return found == meanings.end() ? std::nullopt : std::optional(found->second);
}

TEST(HostExpression, IsWrittenInAttunesWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"n", "n"},
      {"count * n", "m * n"},
      {"(n + 255) / 256", "ceil_div(n, 256)"},
      {"(n + threads - 1) / threads", "ceil_div(n, 256)"},
      {"(n + (threads - 1)) / threads", "ceil_div(n, 256)"},
      {"(n - 1 + TILE) / TILE", "ceil_div(n, TILE)"},
      {"((n) + (TILE) - 1) / (TILE)", "ceil_div((n), (TILE))"},
      {"(n + block.x - 1) / block.x", "ceil_div(n, 32)"},
      {"(n - 1) / TILE + 1", "ceil_div(n, TILE)"},
      {"1 + (n * 2 + TILE - 1) / TILE", "1 + ceil_div(n * 2, TILE)"},
      {"CEIL_DIV(n, TILE)", "ceil_div(n, TILE)"},
      {"divUp(n, 4 * TILE)", "ceil_div(n, 4 * TILE)"},
      {"ceil(n / 256.0)", "ceil_div(n, 256)"},
      {"(int)ceilf((float)n / TILE)", "ceil_div(n, TILE)"},
      {"blocks", "ceil_div(n, 256)"},
      {"blocks * 2", "ceil_div(n, 256) * 2"},
      {"half * 2", "(n / 2) * 2"},
      {"(int)(n * sizeof(float))", "n * sizeof('float')"},
      {"static_cast<unsigned int>(n) * 2u", "(n) * 2"},
      {"sizeof(T) * TILE", "sizeof(T) * TILE"},
      {"std::min(n, size_t(65535))", "min(n, (65535))"},
      {"1'000ull + 0x10", "1000 + 16"},
      {"n > 3 && m <= 2 ? 1 : n", "n > 3 && m <= 2 ? 1 : n"},
      {"1 << 20", "1 << 20"},
  };
  for (const auto& [code, wanted] : cases) EXPECT_EQ(translated(code, known).value_or("nothing"), wanted) << code;
}

TEST(HostExpression, IsNothingWhereAttuneCannotSayIt) {
  for (const char* const code : {"", "unknown", "f(n)", "n & 3", "n ^ 1", "a[0]", "again", "0755", "(n", "n)", "\"n\"",
                                 "1.5f", "n +", "x->y", "sizeof(Body)", "{1}", "n = 3"})
    EXPECT_EQ(translated(code, known), std::nullopt) << code;
  EXPECT_EQ(translated(std::string(100'000, '('), known), std::nullopt);
  EXPECT_EQ(translated("n" + std::string(1000, '+') + "n", known), std::nullopt);
}

TEST(HostExpression, OfNumbersHasAValue) {
  EXPECT_EQ(constant_value("1 << 20"), 1 << 20);
  EXPECT_EQ(constant_value("n"), std::nullopt);
  EXPECT_EQ(constant_value("("), std::nullopt);
}

}  // namespace
}  // namespace attune::draft
