#include "device/cuda/cuda_sampler.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace attune::cuda {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A graph is recorded once for each configuration and batch, and no configuration is timed by another one's.
TEST(FirstAlike, IsOfTheSameOperationsInTheSameBatch) {
  std::array<Operation, 3> operations;
  const std::span<const Operation> one(operations.data(), 1), other(operations.data() + 1, 2);
  const std::array<std::span<const Operation>, 2> sets = {one, other}, others = {other, one};
  const std::vector<Sampling> turns = {
      {.before = {}, .timed = sets, .batch = 50},
      {.before = {}, .timed = others, .batch = 50},
      {.before = {}, .timed = sets, .batch = 50},
      {.before = {}, .timed = sets, .batch = 20},
      {.before = {}, .timed = others, .flush = false, .count = 3, .batch = 50},
      {.before = {}, .timed = sets, .batch = 20},
  };
  EXPECT_THAT(first_alike(turns), ElementsAre(0, 1, 0, 3, 1, 3));
  EXPECT_THAT(first_alike({}), IsEmpty());
}

}  // namespace
}  // namespace attune::cuda
