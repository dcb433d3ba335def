// Random spaces with a rule over so many combinations that it is not tabulated but followed from value to value.
#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

constexpr int shards = 8, spaces_per_shard = 12;

class WideRandomSpaces : public testing::TestWithParam<int> {};

TEST_P(WideRandomSpaces, HaveTheRowsThatTryingEveryCombinationFinds) {
  const SpaceShape shape = {8, 9, 3, 33'000, 120'000, true};
  for (int i = 0; i < spaces_per_shard && !HasFailure(); ++i) {
    const RandomSpace random(static_cast<std::uint64_t>(GetParam() * spaces_per_shard + i), shape);
    SCOPED_TRACE(random.text());
    const ReferenceSpace reference(random);
    const SearchSpace space = random.space();
    ASSERT_EQ(space.size(), reference.rows.size());
    for (std::size_t row = 0; row < reference.combinations.size(); ++row)
      ASSERT_EQ(space.contains(reference.combinations[row]), reference.legal[row])
          << space.configuration(reference.combinations[row]).text();
    for (std::size_t index = 0; index < reference.rows.size(); ++index) {
      Row row(random.parameters.size());
      space.at(index, row);
      ASSERT_TRUE(reference.is_legal(row));
      ASSERT_EQ(space.index_of(row), SpaceSize{index});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, WideRandomSpaces, testing::Range(0, shards));

}  // namespace
}  // namespace attune
