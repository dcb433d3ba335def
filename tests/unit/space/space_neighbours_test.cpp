// Random small spaces: neighbours are those that comparing with every legal row finds.
#include <algorithm>
#include <map>

#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

constexpr Neighbourhood kinds[] = {Neighbourhood::any_value, Neighbourhood::adjacent_value,
                                   Neighbourhood::adjacent_all};

using Occurring = std::vector<std::vector<std::uint16_t>>;  // by parameter: positions that occur, ascending

Occurring occurring_in(const ReferenceSpace& reference, std::size_t parameters) {
  Occurring occurring;
  for (std::size_t i = 0; i < parameters; ++i) occurring.push_back(reference.occurring(i));
  return occurring;
}

// Is `to` the next or previous of the positions that occur, seen from `from`?
bool is_adjacent(const std::vector<std::uint16_t>& occurring, std::uint16_t from, std::uint16_t to) {
  if (from == to) return false;
  const auto [low, high] = std::minmax(from, to);
  return std::none_of(occurring.begin(), occurring.end(), [&](auto at) { return low < at && at < high; });
}

bool is_neighbour(const Occurring& occurring, Neighbourhood kind, RowView row, RowView other) {
  std::size_t off = 0, far = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    off += row[i] != other[i];
    far += row[i] != other[i] && !is_adjacent(occurring[i], row[i], other[i]);
  }
  if (kind == Neighbourhood::any_value) return off == 1;
  if (kind == Neighbourhood::adjacent_value) return off == 1 && far == 0;
  return off > 0 && far == 0;
}

// In the order that is documented: by parameter and value, or for adjacent_all by index.
std::vector<Row> neighbours_by_trying(const SearchSpace& space, const ReferenceSpace& reference,
                                      const Occurring& occurring, Neighbourhood kind, RowView row) {
  std::vector<Row> found;
  for (const Row& other : reference.rows) {
    if (is_neighbour(occurring, kind, row, other)) found.push_back(other);
  }
  const auto place = [&](const Row& other) {
    if (kind == Neighbourhood::adjacent_all) return space.index_of(other).value_or(space.size());
    const auto at = static_cast<std::size_t>(std::mismatch(row.begin(), row.end(), other.begin()).first - row.begin());
    return SpaceSize{at} * 65536 + other[at];
  };
  std::sort(found.begin(), found.end(), [&](const Row& a, const Row& b) { return place(a) < place(b); });
  return found;
}

class RandomSpacesNeighbours : public RandomSpaces {
 protected:
  // Calls check(space, kind, row, the row's neighbours) for some rows of each space, legal or not.
  template <typename Check>
  void for_some_rows(std::size_t rows_per_space, Check check) {
    for_each_space(500, [&](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t seed) {
      const SearchSpace space = random.space();
      const Occurring occurring = occurring_in(reference, random.parameters.size());
      std::mt19937_64 draw(seed);
      for (std::size_t i = 0; i < rows_per_space && !HasFatalFailure(); ++i) {
        const bool legal = i % 2 == 0 && !reference.rows.empty();
        const auto& rows = legal ? reference.rows : reference.combinations;
        const Row& row = rows[draw() % rows.size()];
        SCOPED_TRACE(space.configuration(row).text());
        for (const auto kind : kinds)
          check(space, kind, row, neighbours_by_trying(space, reference, occurring, kind, row));
      }
    });
  }
};

TEST_P(RandomSpacesNeighbours, AreThoseFoundByTryingAlsoOfConfigurationsAndStopWhereAsked) {
  for_some_rows(8, [](const SearchSpace& space, Neighbourhood kind, const Row& row, const std::vector<Row>& expected) {
    ASSERT_EQ(space.neighbours(row, kind), expected) << "kind " << static_cast<int>(kind);
    const auto configurations = space.neighbours(space.configuration(row), kind);
    ASSERT_TRUE(
        std::ranges::equal(configurations, expected, {}, {}, [&](const Row& to) { return space.configuration(to); }));
    const std::size_t wanted = expected.size() / 2;
    std::size_t visited = 0;
    space.for_each_neighbour(row, kind, [&](RowView) { return ++visited < wanted; });
    ASSERT_EQ(visited, expected.empty() ? 0 : std::max<std::size_t>(wanted, 1));
  });
}

TEST_P(RandomSpacesNeighbours, AreDrawnUniformly) {
  // By chance a count would be outside of these bounds once in 10^8 neighbours.
  static constexpr int expected_each = 64, least_each = 20, most_each = 116;
  for_some_rows(1, [](const SearchSpace& space, Neighbourhood kind, const Row& row, const std::vector<Row>& expected) {
    std::mt19937_64 draw(expected.size());
    Row to(row.size(), 7);
    if (expected.empty()) {
      ASSERT_FALSE(space.random_neighbour(row, kind, draw, to));
      ASSERT_EQ(to, Row(row.size(), 7));
      ASSERT_EQ(space.random_neighbour(space.configuration(row), kind, draw), std::nullopt);
      return;
    }
    std::map<Row, int> drawn;
    for (std::size_t i = 0; i < expected_each * expected.size(); ++i) {
      ASSERT_TRUE(space.random_neighbour(row, kind, draw, to));
      ++drawn[to];
    }
    for (const Row& neighbour : expected) {
      ASSERT_GT(drawn[neighbour], expected.size() == 1 ? 0 : least_each) << "kind " << static_cast<int>(kind);
      if (expected.size() > 1) {
        ASSERT_LT(drawn[neighbour], most_each) << "kind " << static_cast<int>(kind);
      }
    }
    ASSERT_EQ(drawn.size(), expected.size()) << "kind " << static_cast<int>(kind);
    const auto one = space.random_neighbour(space.configuration(row), kind, draw);
    ASSERT_TRUE(one && drawn.contains(*space.row_of(*one)));
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomSpacesNeighbours, testing::Range(0, RandomSpaces::shards));

}  // namespace
}  // namespace attune
