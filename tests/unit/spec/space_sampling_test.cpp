// Samples of the search spaces of published tuners: how often each value, and each pair of values, is drawn, against
// how many configurations have it.
#include <gtest/gtest.h>

#include "unit/space/chi_square.hpp"
#include "unit/spec/published_spaces.hpp"

namespace attune {
namespace {

constexpr int draws = 20'000;

class SpaceSampling : public testing::TestWithParam<PublishedSpace> {
 protected:
  SpaceSampling() {
    std::mt19937_64 random(20);
    Row row(width());
    for (int i = 0; i < draws; ++i) {
      space_.sample(random, row);
      drawn_.insert(drawn_.end(), row.begin(), row.end());
    }
  }

  std::size_t width() const { return definition_.parameters.size(); }
  std::size_t values_of(std::size_t parameter) const { return definition_.parameters[parameter].values.size(); }
  const std::string& name_of(std::size_t parameter) const { return definition_.parameters[parameter].name; }

  // Of the rows one behind the other in `rows`: how many are in each cell, by cell_of(row).
  template <typename CellOf>
  std::vector<std::uint64_t> counts(const std::vector<std::uint16_t>& rows, std::size_t cells, CellOf cell_of) const {
    std::vector<std::uint64_t> counts(cells);
    for (std::size_t i = 0; i < rows.size(); i += width()) ++counts[cell_of(RowView(rows).subspan(i, width()))];
    return counts;
  }

  const T1Space definition_ = load(GetParam());
  const SearchSpace space_{definition_.parameters, definition_.rules};
  std::vector<std::uint16_t> drawn_;
};

class SmallSpaceSampling : public SpaceSampling {};

TEST_P(SmallSpaceSampling, DrawsEachValueAndPairOfValuesAsOftenAsItOccurs) {
  const auto rows = space_.rows();
  for (std::size_t i = 0; i < width(); ++i) {
    const std::size_t j = i + 1 < width() ? i + 1 + i % (width() - i - 1) : i;  // some pairs, near ones and far ones
    const auto cell_of = [&](RowView row) { return row[i] * values_of(j) + row[j]; };
    const auto all = counts(rows, values_of(i) * values_of(j), cell_of);
    EXPECT_TRUE(is_plausible(counts(drawn_, all.size(), cell_of), {all.begin(), all.end()}))
        << name_of(i) << ", " << name_of(j);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmallSpaceSampling, testing::ValuesIn(published_spaces(true)),
                         name_of_space<testing::TestParamInfo<PublishedSpace>>);

class LargeSpaceSampling : public SpaceSampling {
 protected:
  // The configurations in which `parameter` has one of the values from `begin` to `end`.
  double size_where(std::size_t parameter, std::size_t begin, std::size_t end) const {
    std::vector<Parameter> narrowed = definition_.parameters;
    const auto values = narrowed[parameter].values;
    narrowed[parameter].values.assign(values.begin() + static_cast<std::ptrdiff_t>(begin),
                                      values.begin() + static_cast<std::ptrdiff_t>(end));
    return static_cast<double>(SearchSpace(narrowed, definition_.rules).size());
  }
};

TEST_P(LargeSpaceSampling, DrawsEachValueAsOftenAsItOccurs) {
  constexpr std::size_t most_cells = 16;  // of long lists, runs of values
  for (std::size_t i = 0; i < width(); ++i) {
    const std::size_t run = (values_of(i) + most_cells - 1) / most_cells;
    std::vector<double> expected;
    double all = 0;
    for (std::size_t begin = 0; begin < values_of(i); begin += run) {
      expected.push_back(size_where(i, begin, std::min(begin + run, values_of(i))));
      all += expected.back();
    }
    ASSERT_DOUBLE_EQ(all, static_cast<double>(space_.size())) << name_of(i);
    const auto counted = counts(drawn_, expected.size(), [&](RowView row) { return row[i] / run; });
    EXPECT_TRUE(is_plausible(counted, expected)) << name_of(i);
  }
}

INSTANTIATE_TEST_SUITE_P(All, LargeSpaceSampling, testing::ValuesIn(published_spaces(false)),
                         name_of_space<testing::TestParamInfo<PublishedSpace>>);

}  // namespace
}  // namespace attune
