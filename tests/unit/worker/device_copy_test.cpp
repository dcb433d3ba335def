// Copies among the slots of a job: what is done about a death, and how many sets a stream has.
#include "worker/device_copy.hpp"

#include "unit/worker/pool_fixture.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class CopyTest : public PoolTest {
 protected:
  // A recording has no memory: each slot of a job with copies has the time of one.
  CopyTest() {
    script_.change = [](const Job& job, Reply& reply) {
      const auto* const rounds = std::get_if<Rounds>(&job);
      if (rounds == nullptr || !std::count(rounds->slots.begin(), rounds->slots.end(), device_copy)) return;
      reply.answer = RoundsSampled{{}, std::vector<double>(rounds->slots.size(), copy_ns)};
    };
  }
  static constexpr double copy_ns = 77;
};

TEST_F(CopyTest, ACopyIsNoInstance) {
  EXPECT_THAT(instances_of(Rounds{{1, device_copy, 2, device_copy}, {}}), ElementsAre(1, 2));
  EXPECT_THAT(instances_of(Rounds{{device_copy}, {}}), ElementsAre());
  EXPECT_TRUE(samples_several(Rounds{{1, device_copy}, {}})) << "one of them may be at fault without the other";
  EXPECT_FALSE(samples_several(Rounds{{device_copy, device_copy}, {}}));
  begin();
  EXPECT_THAT(samples(pool().run(Rounds{{device_copy, device_copy}, {}})), ElementsAre(copy_ns, copy_ns));
}

TEST_F(CopyTest, ADeathAmongACopyAndAnInstanceBlamesNone) {
  begin();
  load(1);
  const double one = time_of(1);
  script_.take_begun();
  ends("rounds 1", Received::End::died);
  const Result result = pool().run(Rounds{{device_copy, 1, device_copy}, {1, 0}});
  EXPECT_THAT(script_.take_begun(), ElementsAre("rounds 1", "begin", "try 9", "rounds", "load 1", "rounds 1"));
  ASSERT_EQ(samples(result).size(), 3u) << status(result).detail;
  EXPECT_EQ(samples(result)[0], copy_ns);
  EXPECT_NEAR(samples(result)[1], one, 0.1 * one);
  EXPECT_EQ(samples(result)[2], copy_ns);
  EXPECT_FALSE(result.failed);
  EXPECT_EQ(result.deaths, 0);
}

TEST_F(CopyTest, TheInstanceThatDiesAloneIsBlamedAndTheCopyIsNot) {
  begin();
  load(2);
  ends("rounds 2", Received::End::died, 3);
  const Result result = pool().run(Rounds{{device_copy, 2}, {1, 0}});
  EXPECT_EQ(status(result).verdict, Verdict::fault);
  EXPECT_EQ(result.failed, 2u);
}

TEST_F(CopyTest, AWorkerThatDiesOfCopiesAloneIsTheDevicesFault) {
  for (const std::vector<InstanceId>& slots : {std::vector{device_copy}, std::vector{InstanceId{1}, device_copy}}) {
    script_.ends = nullptr;
    begin();
    load(1);
    script_.ends = [](const std::string& job, int worker) {
      return job == "rounds" || (job == "rounds 1" && worker == 1) ? Received::End::died : Received::End::replied;
    };
    script_.workers = 1;
    try {
      pool().run(Rounds{slots, {1, 0}});
      FAIL() << "it has a result";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("a copy within the device's memory fails"), HasSubstr("as the test says")));
    }
  }
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
