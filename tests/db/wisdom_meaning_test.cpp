// What earlier ways of measuring left in the database: it stays, and answers no question of today.
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::sample_key;
using test::sample_record;
using test::sample_session;
using test::sample_trial;

constexpr int before = first_present_protocol - 1;

Record of_protocol(int protocol, Effort effort = Effort::measure) {
  Record record = sample_record();
  record.protocol = protocol;
  record.effort = effort;
  return record;
}

using WisdomMeaning = test::WisdomTest;

TEST_F(WisdomMeaning, OfAnEarlierProtocolNeitherAnswersNorGoesOnNorFillsALog) {
  WisdomStore store(file_);
  SessionRow session = sample_session();
  session.protocol = before;
  const std::int64_t id = store.begin_session(session, test::sample_device());
  Trial killer = sample_trial(6);
  killer.verdict = Verdict::timeout;
  killer.deaths = 2;
  store.add_trials(id, std::vector{sample_trial(64), killer});
  store.put_record(of_protocol(before));
  EXPECT_FALSE(store.find_record(sample_key()));
  EXPECT_FALSE(store.find_session(session.key));
  EXPECT_TRUE(store.known_trials(sample_key(), session.key.space).empty());
  EXPECT_EQ(store.quarantined(sample_key()).size(), 1u) << "what kills a worker does so today";
  ASSERT_EQ(store.candidates(sample_key()).size(), 1u) << "for `stale`, and for a warm start";
  EXPECT_EQ(store.candidates(sample_key()).front().protocol, before);
  EXPECT_EQ(store.history(sample_key()).size(), 1u);
}

TEST_F(WisdomMeaning, OfTodayServesHoweverMuchEffortWasSpentBefore) {
  WisdomStore store(file_);
  const Record former = of_protocol(before, Effort::exhaustive), now = of_protocol(first_present_protocol);
  EXPECT_TRUE(store.put_record(former));
  EXPECT_TRUE(store.put_record(now));
  EXPECT_EQ(store.find_record(sample_key())->uuid, now.uuid);
  EXPECT_FALSE(store.put_record(of_protocol(before, Effort::exhaustive))) << "an import, or an attune of before";
  ASSERT_EQ(store.candidates(sample_key()).size(), 1u);
  EXPECT_EQ(store.candidates(sample_key()).front().uuid, now.uuid);
}

TEST_F(WisdomMeaning, CandidatesAreOfEveryRegime) {
  WisdomStore store(file_);
  for (const char* regime : {"stream", "cold", "warm"}) {
    Record record = sample_record();
    record.key.regime = regime;
    store.put_record(record);
  }
  std::vector<std::string> found;
  for (const Record& record : store.candidates(sample_key())) found.push_back(record.key.regime);
  EXPECT_THAT(found, testing::ElementsAre("cold", "stream", "warm"));
  EXPECT_EQ(store.find_record(sample_key())->key.regime, "cold");
}

}  // namespace
}  // namespace attune
