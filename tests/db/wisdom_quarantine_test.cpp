// Quarantine in a WisdomStore: trials during which two workers died.
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::configuration;
using test::sample_key;
using test::sample_session;
using test::sample_trial;
using testing::ElementsAre;
using testing::IsEmpty;

Trial faulty(int block, Verdict verdict = Verdict::fault, int deaths = 2) {
  Trial trial = sample_trial(block);
  trial.verdict = verdict;
  trial.detail = "an illegal address was read";
  trial.made_ms = 1000 + block;
  trial.deaths = deaths;
  return trial;
}

std::vector<std::string> blocks(const std::vector<QuarantineEntry>& entries) {
  std::vector<std::string> texts;
  for (const QuarantineEntry& entry : entries) texts.push_back(entry.configuration.text());
  return texts;
}

class WisdomQuarantine : public test::WisdomTest {
 protected:
  WisdomStore store_{file_};
  const std::int64_t session_ = begin(store_);
  std::vector<QuarantineEntry> entries() { return store_.quarantined(sample_key()); }
};

TEST_F(WisdomQuarantine, HoldsWhatKilledTwoWorkersAlone) {
  EXPECT_THAT(entries(), IsEmpty());
  for (const int deaths : {0, 1, 2, 3}) {
    store_.add_trial(session_, faulty(deaths, Verdict::fault, deaths));
    store_.add_trial(session_, faulty(10 + deaths, Verdict::ok, deaths));
  }
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(2).text(), configuration(3).text()));
  store_.add_trial(session_, sample_trial(2));
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(3).text())) << "a later trial of its session ends it";
}

TEST_F(WisdomQuarantine, GivesWhatWasKilledFromOutsideASecondChance) {
  const auto chances = [&] { return blocks(store_.second_chances(session_)); };
  Trial killed = faulty(1, Verdict::fault, 1), alone = faulty(2, Verdict::fault, 1),
        late = faulty(3, Verdict::timeout, 1);
  killed.worker = late.worker = 3;
  alone.worker = 1;
  store_.add_trials(session_, std::vector{killed, alone, late});
  EXPECT_THAT(entries(), IsEmpty());
  EXPECT_THAT(chances(), ElementsAre(configuration(1).text()));
  EXPECT_THAT(blocks(store_.suspected(session_)), ElementsAre(configuration(1).text()));
  EXPECT_EQ(store_.lift_quarantine(sample_key()), 1);
  EXPECT_THAT(store_.suspected(session_), IsEmpty());
  killed.deaths = 2;
  store_.add_trial(session_, killed);
  EXPECT_THAT(chances(), IsEmpty());
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(1).text()));
}

// What may be the fault of a busy machine, or of who killed a compiler.
TEST_F(WisdomQuarantine, HoldsADeadCompilerAfterTwoSessionsAndALateOneNever) {
  for (int session = 0; session < 3; ++session) store_.add_trial(begin(store_), faulty(1, Verdict::compile_timeout, 4));
  EXPECT_THAT(entries(), IsEmpty());
  store_.add_trial(session_, faulty(2, Verdict::compile_crash));
  EXPECT_THAT(entries(), IsEmpty()) << "the next session tries it again";
  store_.add_trial(begin(store_), faulty(3, Verdict::compile_crash));
  EXPECT_THAT(entries(), IsEmpty()) << "another configuration";
  store_.add_trial(begin(store_), faulty(2, Verdict::compile_crash));
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(2).text()));
  store_.add_trial(session_, faulty(4, Verdict::compile_crash, 4));
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(2).text(), configuration(4).text())) << "in two runs of one";
}

TEST_F(WisdomQuarantine, GivesWhatWasLiftedOrDiedWithItsCompilerASecondChance) {
  const auto chances = [this] { return blocks(store_.second_chances(session_)); };
  Trial late = faulty(1, Verdict::compile_timeout), crashed = faulty(2, Verdict::compile_crash);
  late.attempts = crashed.attempts = 1;
  store_.add_trials(session_, std::vector{late, crashed, faulty(3), sample_trial(4)});
  EXPECT_THAT(chances(), ElementsAre(configuration(1).text(), configuration(2).text()));
  EXPECT_THAT(blocks(store_.suspected(session_)), ElementsAre(configuration(1).text(), configuration(2).text()));
  for (const QuarantineEntry& entry : store_.suspected(session_)) EXPECT_TRUE(entry.has_second_chance);
  late.attempts = crashed.attempts = 2;
  crashed.deaths = 4;
  store_.add_trials(session_, std::vector{late, crashed});
  EXPECT_THAT(chances(), IsEmpty()) << "one only";
  for (const QuarantineEntry& entry : store_.suspected(session_)) EXPECT_FALSE(entry.has_second_chance);
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(2).text(), configuration(3).text()));
  EXPECT_EQ(store_.lift_quarantine(sample_key()), 3);
  EXPECT_THAT(chances(),
              testing::UnorderedElementsAre(configuration(1).text(), configuration(2).text(), configuration(3).text()));
  EXPECT_THAT(store_.lifted(sample_key()), testing::SizeIs(3));
  EXPECT_THAT(store_.suspected(session_), IsEmpty());
  store_.add_trials(session_, std::vector{sample_trial(1), sample_trial(2), sample_trial(3)});
  EXPECT_THAT(chances(), IsEmpty());
  EXPECT_THAT(store_.lifted(sample_key()), IsEmpty());
}

TEST_F(WisdomQuarantine, HoldsEachConfigurationOnceWithItsLastVerdict) {
  for (const int block : {1, 2}) store_.add_trial(begin(store_), faulty(block));
  Trial again = faulty(1, Verdict::timeout);
  again.detail = std::string(100'000, 'x');
  again.made_ms = 2000;
  store_.add_trial(begin(store_), again);
  SessionRow copy = sample_session();
  copy.key.record.kernel = "a_copy";
  store_.add_trial(store_.begin_session(copy, test::sample_device()), faulty(2));
  const auto found = WisdomStore(file_).quarantined(sample_key());
  ASSERT_THAT(blocks(found), ElementsAre(configuration(2).text(), configuration(1).text()));
  EXPECT_EQ(found[0].verdict, Verdict::fault);
  EXPECT_EQ(found[0].detail, "an illegal address was read");
  EXPECT_EQ(found[0].made_ms, 1002);
  EXPECT_EQ(found[1].verdict, Verdict::timeout);
  EXPECT_THAT(found[1].detail, testing::EndsWith("x\n[34464 bytes more]"));
  EXPECT_EQ(found[1].made_ms, 2000);
}

TEST_F(WisdomQuarantine, IsLiftedByATimeStampAndHoldsAgainAfterTwoNewDeaths) {
  store_.add_trial(session_, faulty(1));
  EXPECT_EQ(store_.lift_quarantine(sample_key()), 1);
  EXPECT_GT(std::stoll(answer_to("SELECT lifted_ms FROM trial")), 1'700'000'000'000);
  EXPECT_EQ(store_.trials(session_).at(0).deaths, 2) << "what happened is not forgotten";
  store_.add_trial(session_, faulty(1));
  EXPECT_EQ(entries().size(), 1u);
}

// Keys that differ from sample_key() in one thing, and whether its quarantine holds for them.
struct Neighbour {
  const char* difference;
  std::function<void(RecordKey&)> make;
  bool shares;
};

const Neighbour neighbours[] = {
    {"nothing", [](RecordKey&) {}, true},
    {"regime", [](RecordKey& key) { key.regime = "warm"; }, true},
    {"objective", [](RecordKey& key) { key.objective = "energy"; }, true},
    {"name", [](RecordKey& key) { key.kernel = "a_copy"; }, true},
    {"code", [](RecordKey& key) { key.code = "other"; }, false},
    {"contract", [](RecordKey& key) { key.contract = "other"; }, false},
    {"problem", [](RecordKey& key) { key.problem.set("n", 5); }, false},
    {"device class", [](RecordKey& key) { key.device_class = "other"; }, false},
};

TEST_F(WisdomQuarantine, IsLiftedForTheSameCodeContractProblemAndDeviceClassAlone) {
  for (const auto& [difference, make, shares] : neighbours) {
    SCOPED_TRACE(difference);
    WisdomStore store(":memory:");
    SessionRow row = sample_session();
    store.add_trial(store.begin_session(row, test::sample_device()), faulty(1));
    RecordKey& key = row.key.record;
    make(key);
    EXPECT_EQ(store.quarantined(key).size(), shares ? 1u : 0u);
    row.key.space = "narrowed";
    store.add_trial(store.begin_session(row, test::sample_device()), faulty(2));
    ASSERT_EQ(store.quarantined(sample_key()).size(), shares ? 2u : 1u);
    EXPECT_EQ(store.lift_quarantine(sample_key()), shares ? 2 : 1);
    EXPECT_THAT(store.quarantined(sample_key()), IsEmpty());
    EXPECT_EQ(store.quarantined(key).size(), shares ? 0u : 1u);
    EXPECT_EQ(store.lift_quarantine(sample_key()), 0);
  }
}

TEST_F(WisdomQuarantine, LeavesOutAndCountsWhatIsDamaged) {
  for (const int block : {1, 2, 3}) store_.add_trial(session_, faulty(block));
  execute("UPDATE trial SET verdict = 99 WHERE id = 1; UPDATE trial SET configuration = '[[\"BLOCK\"]]' WHERE id = 2");
  EXPECT_THAT(blocks(entries()), ElementsAre(configuration(3).text()));
  EXPECT_EQ(store_.damaged_rows(), 2);
  EXPECT_EQ(store_.lift_quarantine(sample_key()), 3);
}

}  // namespace
}  // namespace attune
