// Samples of the search spaces in tests/data/spaces (or the folder that ATTUNE_SPACES names): how often each value, and
// each pair of values, is drawn, against how many configurations have it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "spec/t1_space.hpp"
#include "unit/core/chi_square.hpp"

namespace attune {
namespace {

constexpr int draws = 20'000;

std::string folder() {
  const char* const given = std::getenv("ATTUNE_SPACES");
  return given != nullptr ? given : ATTUNE_TEST_DATA "/spaces";
}

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(folder())) {
    if (file.path().extension() == ".json") names.push_back(file.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class SpaceSampling : public testing::TestWithParam<std::string> {
 protected:
  SpaceSampling() {
    std::mt19937_64 random(20);
    Row row(width());
    for (int i = 0; i < draws; ++i) {
      space_.sample(random, row);
      drawn_.insert(drawn_.end(), row.begin(), row.end());
    }
  }

  std::size_t width() const { return space_.parameters().size(); }
  std::size_t values_of(std::size_t parameter) const { return space_.parameters()[parameter].values.size(); }
  bool is_small() const { return space_.size() <= 400'000; }

  // Of the rows one behind the other in `rows`: those with each cell, a value or a pair of values.
  std::vector<std::uint64_t> counts(const std::vector<std::uint16_t>& rows, std::size_t cells, auto cell_of) const {
    std::vector<std::uint64_t> counts(cells);
    for (std::size_t i = 0; i < rows.size(); i += width()) ++counts[cell_of(RowView(rows).subspan(i, width()))];
    return counts;
  }
  static std::vector<double> weights(const std::vector<std::uint64_t>& counts) {
    return {counts.begin(), counts.end()};
  }

  // The configurations in which `parameter` has one of the values from `begin` to `end`.
  double size_where(std::size_t parameter, std::size_t begin, std::size_t end) const {
    const auto& [name, values] = definition_.parameters[parameter];
    std::vector<Parameter> narrowed = definition_.parameters;
    narrowed[parameter].values.assign(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                      values.begin() + static_cast<std::ptrdiff_t>(end));
    return static_cast<double>(SearchSpace(narrowed, definition_.rules).size());
  }

  const T1Space definition_ = load_t1_space(folder() + "/" + GetParam() + ".json");
  const SearchSpace space_{definition_.parameters, definition_.rules};
  std::vector<std::uint16_t> drawn_;
};

TEST_P(SpaceSampling, DrawsEachValueAsOftenAsItOccurs) {
  const auto rows = is_small() ? space_.rows() : std::vector<std::uint16_t>{};
  for (std::size_t i = 0; i < width(); ++i) {
    // Of long lists, runs of values; each run is counted by a space of its own where there are too many rows to list.
    const std::size_t run = is_small() ? 1 : (values_of(i) + 15) / 16;
    const std::size_t cells = (values_of(i) + run - 1) / run;
    const auto cell_of = [&](RowView row) { return row[i] / run; };
    std::vector<double> expected;
    if (is_small()) {
      expected = weights(counts(rows, cells, cell_of));
    } else {
      for (std::size_t cell = 0; cell < cells; ++cell)
        expected.push_back(size_where(i, cell * run, std::min((cell + 1) * run, values_of(i))));
      double all = 0;
      for (const double size : expected) all += size;
      ASSERT_DOUBLE_EQ(all, static_cast<double>(space_.size())) << space_.parameters()[i].name;
    }
    EXPECT_TRUE(is_plausible(counts(drawn_, cells, cell_of), expected)) << space_.parameters()[i].name;
  }
}

TEST_P(SpaceSampling, DrawsEachPairOfValuesAsOftenAsItOccurs) {
  if (!is_small()) GTEST_SKIP() << "too many configurations to list";
  const auto rows = space_.rows();
  for (std::size_t i = 0; i + 1 < width(); ++i) {
    const std::size_t j = i + 1 + i % (width() - i - 1);  // some pairs, near ones and far ones
    const auto cell_of = [&](RowView row) { return row[i] * values_of(j) + row[j]; };
    const std::size_t cells = values_of(i) * values_of(j);
    EXPECT_TRUE(is_plausible(counts(drawn_, cells, cell_of), weights(counts(rows, cells, cell_of))))
        << space_.parameters()[i].name << " and " << space_.parameters()[j].name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpaceSampling, testing::ValuesIn(names()), [](const auto& item) { return item.param; });

}  // namespace
}  // namespace attune
