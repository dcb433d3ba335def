// Copies among the slots of a job, and how many sets a stream has.
#include "worker/device_copy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/jobs.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

TEST(DeviceCopy, IsNoInstance) {
  EXPECT_THAT(instances_of(Rounds{{1, device_copy, 2, device_copy}, {}}), ElementsAre(1, 2));
  EXPECT_THAT(instances_of(Rounds{{device_copy}, {}}), ElementsAre());
  EXPECT_TRUE(samples_several(Rounds{{1, device_copy}, {}})) << "one of them may be at fault without the other";
  EXPECT_FALSE(samples_several(Rounds{{device_copy, device_copy}, {}}));
}

TEST(StreamSets, AreTwiceTheCacheApart) {
  const auto sets = [](std::uint64_t bytes) { return stream_sets(bytes, 50, 1000, 0); };
  EXPECT_EQ(sets(100).count, 21u) << "20 others between two uses";
  EXPECT_FALSE(sets(100).flush);
  EXPECT_EQ(sets(100).batch, 42u) << "the next batch begins with the first set";
  EXPECT_EQ(sets(300).count, 8u) << "rounded up";
  EXPECT_EQ(sets(5000).count, 2u);
  EXPECT_EQ(sets(10).count, 50u) << "as many as launches";
  EXPECT_TRUE(sets(10).flush) << "then what came before the graph is flushed";
  EXPECT_EQ(sets(0).count, 50u);
}

TEST(StreamSets, AreAsManyAsLaunchesWhereThereIsRoom) {
  EXPECT_EQ(stream_sets(100, 50, 1000, 1000).count, 50u);
  EXPECT_EQ(stream_sets(100, 50, 1000, 1000).batch, 50u);
  EXPECT_FALSE(stream_sets(100, 50, 1000, 1000).flush);
  EXPECT_EQ(stream_sets(100, 50, 1000, 24).count, 24u);
  EXPECT_EQ(stream_sets(100, 50, 1000, 24).batch, 48u);
  EXPECT_EQ(stream_sets(100, 50, 1000, 20).count, 21u) << "what is needed";
  EXPECT_EQ(stream_sets(std::uint64_t{1} << 28, 50, 1000, 1000).count, 8u) << "2 GiB";
  EXPECT_EQ(stream_sets(std::uint64_t{3} << 30, 50, 1000, 1000).count, 2u);
}

}  // namespace
}  // namespace attune
