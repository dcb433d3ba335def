// What earlier ways of measuring left in the database: it stays, and answers no question of today.
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::sample_key;
using test::sample_record;
using test::sample_session;
using test::sample_trial;

RecordKey of_generation(int generation) {
  RecordKey key = sample_key();
  key.generation = generation;
  return key;
}

Record of_protocol(int protocol, Effort effort = Effort::measure) {
  Record record = sample_record();
  record.protocol = protocol;
  record.effort = effort;
  return record;
}

// Format 3, whose trials may be means of batches.
class WisdomGeneration : public test::WisdomTest, public testing::WithParamInterface<int> {};
INSTANTIATE_TEST_SUITE_P(Batches, WisdomGeneration, testing::Values(1, 60));

TEST_P(WisdomGeneration, OfAnEarlierProtocolNeitherAnswersNorGoesOnNorFillsALog) {
  load_fixture(3);
  execute("UPDATE trial SET batch = " + std::to_string(GetParam()) +
          "; UPDATE session SET state = 1, protocol = '{\"version\":7,\"finalists\":8}'");
  WisdomStore store(file_);
  SessionKey of_session = sample_session().key;
  EXPECT_FALSE(store.find_record(sample_key()));
  EXPECT_FALSE(store.find_session(of_session));
  EXPECT_TRUE(store.known_trials(sample_key(), of_session.space).empty());
  EXPECT_TRUE(store.history(sample_key()).empty());
  EXPECT_EQ(store.quarantined(sample_key()).size(), 1u) << "what kills a worker does so today";

  EXPECT_TRUE(store.find_record(of_generation(0)));
  of_session.record.generation = 0;
  const auto session = store.find_session(of_session);
  ASSERT_TRUE(session);
  EXPECT_EQ(session->key.record.generation, 0);
  EXPECT_FALSE(store.known_trials(of_generation(0), of_session.space).empty());
  ASSERT_EQ(store.candidates(sample_key()).size(), 1u) << "for `stale`, and for a warm start";
  EXPECT_EQ(store.candidates(sample_key()).front().key.generation, 0);
}

TEST_F(WisdomGeneration, OfASessionWithoutAReadableProtocolIsTheFirst) {
  load_fixture(3);
  for (const char* protocol : {"", "7", "{}", "not json", "[8]"}) {
    execute(std::string("UPDATE session SET protocol = '") + protocol + "'");
    EXPECT_FALSE(WisdomStore(file_).find_session(sample_session().key)) << protocol;
  }
}

TEST_F(WisdomGeneration, OfTodayIsCurrentHoweverMuchEffortWasSpentBefore) {
  WisdomStore store(file_);
  const Record before = of_protocol(7, Effort::exhaustive), now = of_protocol(8);
  EXPECT_TRUE(store.put_record(before));
  EXPECT_TRUE(store.put_record(now));
  EXPECT_EQ(store.find_record(sample_key())->uuid, now.uuid);
  EXPECT_FALSE(store.put_record(of_protocol(7, Effort::exhaustive))) << "an import, or an attune of before";
  ASSERT_EQ(store.candidates(sample_key()).size(), 1u);
  EXPECT_EQ(store.candidates(sample_key()).front().uuid, now.uuid);
  EXPECT_EQ(store.find_record(of_generation(0))->protocol, 7);
}

TEST_F(WisdomGeneration, CandidatesAreOfEveryRegime) {
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
