// Judges covers by matrices that were measured on an H200: a cover is made of one half of the problems, and chooses for
// the other half.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "attune/expression.hpp"
#include "cover/make_cover.hpp"

namespace attune {
namespace {

struct Measured {
  CoverMatrix learned, held_back;
};

Measured read_measured(const std::string& kernel) {
  std::ifstream file(std::string(ATTUNE_TEST_DATA) + "/cover/" + kernel + ".json");
  const nlohmann::json json = nlohmann::json::parse(file);
  Measured measured;
  for (const auto& text : json.at("configurations")) {
    measured.learned.configurations.push_back(Configuration(parse_bindings(text.get<std::string>())));
    measured.held_back.configurations.push_back(measured.learned.configurations.back());
  }
  for (const auto& line : json.at("problems")) {
    CoverMatrix& matrix = line.at("held_back").get<bool>() ? measured.held_back : measured.learned;
    matrix.problems.push_back(Problem(parse_bindings(line.at("problem").get<std::string>())));
    auto& row = matrix.rows.emplace_back();
    for (const auto& cell : line.at("cells"))
      row.push_back(cell.is_null() ? CoverCell{.is_usable = false} : CoverCell{cell.at(1), cell.at(2), cell.at(3)});
  }
  return measured;
}

// Makes a cover of the problems to learn from, and returns the losses of its choices for the others. Expects that none
// of them is slower than the default, by its interval.
std::vector<double> judged_losses(const std::string& kernel) {
  const Measured measured = read_measured(kernel);
  EXPECT_EQ(measured.learned.problems.size(), 8U);
  EXPECT_EQ(measured.held_back.problems.size(), 8U);
  const MadeCover made = make_cover(measured.learned, {.configurations = 4});
  EXPECT_LE(made.columns.size(), 4U);
  const CoverLosses judged(measured.held_back);
  std::vector<double> losses;
  for (std::size_t i = 0; i < judged.problems(); ++i) {
    const Problem& problem = measured.held_back.problems[i];
    const std::int64_t choice = Expression(made.cover.tree).integer(Scope{.problem = &problem}, "tree");
    const std::size_t column =
        choice == cover_default ? judged.default_column() : made.columns.at(static_cast<std::size_t>(choice));
    EXPECT_EQ(column, made.tree.column_of(problem));
    EXPECT_FALSE(judged.is_slower(i, column)) << kernel << " " << problem.text();
    losses.push_back(judged.loss(i, column));
  }
  std::printf("%s: mean %.4f, worst %.4f; %s\n", kernel.c_str(), summary_of(losses).mean, summary_of(losses).worst,
              made.cover.tree.c_str());
  return losses;
}

TEST(CoverReplay, FourConfigurationsServeProblemsThatWereHeldBack) {
  for (const char* const kernel : {"reduce", "transpose", "layernorm"}) {
    const LossSummary losses = summary_of(judged_losses(kernel));
    EXPECT_LE(losses.mean, 0.02) << kernel;
    EXPECT_LE(losses.worst, 0.08) << kernel;
  }
}

// Problems of 1 to 65,536 rows, of which few rows leave most multiprocessors idle: the eight measured ones lie too far
// apart for the bound of the worst.
TEST(CoverReplay, ProblemsThatLieFarApartLoseLittleOnAverage) {
  EXPECT_LE(summary_of(judged_losses("layernorm_few_rows")).mean, 0.02);
}

}  // namespace
}  // namespace attune
