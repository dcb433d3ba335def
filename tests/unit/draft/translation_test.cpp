// Expressions of host code in attune's words.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// n and m are names of the problem, TILE is a parameter, T a type; the others are set by the host.
std::optional<std::string> translated(const std::string& code) {
  static const CudaFile file;
  static const KernelFunction kernel;
  Launch launch;
  launch.locals = {{"threads", {"256"}},     {"block", {"32", "8"}}, {"half", {"n / 2"}},
                   {"again", {"again + 1"}}, {"size", {"n + m"}},    {"blocks", {"(n + threads - 1) / threads"}},
                   {"wide", {"TILE * 2"}}};
  DraftParts parts{.file = file, .kernel = kernel, .launch = &launch};
  parts.problem = {{"T", "", ""}};
  parts.names = {{"n", "n"}, {"count", "m"}, {"m", "m"}, {"TILE", "TILE"}, {"T", "T"}};
  return parts.expression(code);
}

TEST(Translation, IsWrittenInAttunesWords) {
  const std::pair<const char*, const char*> cases[] = {
      {"n", "n"},
      {"count * n", "m * n"},
      {"(n + 255) / 256", "ceil_div(n, 256)"},
      {"(n+255)/256", "ceil_div(n, 256)"},
      {"(n + 254) / 256", "(n + 254) / 256"},
      {"(n + threads - 1) / threads", "ceil_div(n, 256)"},
      {"(n + (threads - 1)) / threads", "ceil_div(n, 256)"},
      {"((n) + (TILE) - 1) / (TILE)", "ceil_div((n), (TILE))"},
      {"(n + TILE - 1) / threads", "(n + TILE - 1) / 256"},
      {"(n + block.x - 1) / block.x + block.z", "ceil_div(n, 32) + 1"},
      {"1 + (n * 2 + TILE - 1) / TILE", "1 + ceil_div(n * 2, TILE)"},
      {"CEIL_DIV(n, TILE)", "ceil_div(n, TILE)"},
      {"divUp(n, 4 * TILE)", "ceil_div(n, 4 * TILE)"},
      {"blocks", "ceil_div(n, 256)"},
      {"blocks * 2", "(ceil_div(n, 256)) * 2"},
      {"half * 2", "(n / 2) * 2"},
      {"(n + wide - 1) / wide", "ceil_div(n, (TILE * 2))"},
      {"(int)(n * sizeof(float))", "(n * sizeof('float'))"},
      {"sizeof(T) * TILE", "sizeof(T) * TILE"},
      {"min(n, size_t(65535))", "min(n, (65535))"},
      {"std::min(n, 3)", "min(n, 3)"},
      {"(size_t)ceil(((float)n) / ((float)threads))", "ceil_div(n, 256)"},
      {"static_cast<int>(std::ceil(n / 256.0)) * 2", "(ceil_div(n, 256)) * 2"},
      {"ceilf(float(n * 2) / static_cast<float>(TILE * 4))", "ceil_div((n * 2), (TILE * 4))"},
      {"ceil(1.0f * n / TILE)", "ceil_div(1 * n, TILE)"},
      {"max(n, (int)16u)", "max(n, 16)"},
      {"n > 3 ? 1 : n", "n > 3 ? 1 : n"},
      {"1 << 20", "1 << 20"},
  };
  for (const auto& [code, wanted] : cases) EXPECT_EQ(translated(code).value_or("nothing"), wanted) << code;
}

TEST(Translation, IsNothingWhereAttuneCannotSayIt) {
  for (const char* const code : {"",
                                 "unknown",
                                 "f(n)",
                                 "n & 3",
                                 "n ^ 1",
                                 "block",
                                 "n && 1",
                                 "a[0]",
                                 "again",
                                 "ceil(n / 256)",
                                 "ceil(n / 2.0 / m)",
                                 "ceil(n / 2.0 + 1)",
                                 "ceil(n / 2.5)",
                                 "ceil(n / 2.0 * m)",
                                 "ceil(2.0)",
                                 "ceil(",
                                 "static_cast<int",
                                 "0755",
                                 "(n",
                                 "n)",
                                 "\"n\"",
                                 "1.5f",
                                 "n +",
                                 "x->y",
                                 "sizeof(Body)",
                                 "{1}",
                                 "n = 3"})
    EXPECT_EQ(translated(code), std::nullopt) << code;
  EXPECT_EQ(translated(std::string(100'000, '(')), std::nullopt);
  EXPECT_EQ(translated("n" + std::string(1000, '+') + "n"), std::nullopt);
}

TEST(Translation, OfNumbersHasAValue) {
  EXPECT_EQ(constant_value("1 << 20"), 1 << 20);
  EXPECT_EQ(constant_value("n"), std::nullopt);
  EXPECT_EQ(constant_value("("), std::nullopt);
}

}  // namespace
}  // namespace attune::draft
