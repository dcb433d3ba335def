// ReferenceSpace: what trying every combination of the values of a RandomSpace finds. RandomSpaces: tests that hold a
// search space against it for many seeds.
#pragma once

#include <gtest/gtest.h>

#include "unit/space/random_space.hpp"

namespace attune {

class ReferenceSpace {
 public:
  explicit ReferenceSpace(const RandomSpace& random);

  std::vector<Row> combinations;         // of all values, the last parameter varying fastest
  std::vector<bool> legal;               // by combination
  std::vector<Row> rows;                 // the legal ones
  std::vector<std::vector<bool>> holds;  // by rule, then by combination

  std::size_t number_of(RowView row) const;  // the combination
  bool is_legal(RowView row) const { return legal[number_of(row)]; }
  // Positions of a parameter's values that occur in a legal row, ascending.
  std::vector<std::uint16_t> occurring(std::size_t parameter) const;

 private:
  std::vector<std::size_t> widths_;
};

// Tests that do the same for many random spaces, a share of the seeds in each.
class RandomSpaces : public testing::TestWithParam<int> {
 public:
  static constexpr int shards = 8;

 protected:
  // Calls check(random, reference, seed) for `count` seeds of this shard, until one fails.
  template <typename Check>
  void for_each_space(int count, Check check) {
    for (int i = 0; i < count && !HasFailure(); ++i) {
      const auto seed = static_cast<std::uint64_t>(GetParam() * count + i);
      const RandomSpace random(seed);
      SCOPED_TRACE(random.text());
      check(random, ReferenceSpace(random), seed);
    }
  }
};

}  // namespace attune
