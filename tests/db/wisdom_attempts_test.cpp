// Attempts of a WisdomStore.
#include "db/wisdom_test.hpp"

namespace attune {

// Here and not in the header, where it would be found for every comparison: what the tests compare, and how it is
// shown when it differs.
bool operator==(const Attempt& a, const Attempt& b) {
  return a.configuration == b.configuration && a.begun == b.begun && a.alone == b.alone;
}
void PrintTo(const Attempt& attempt, std::ostream* out) {
  *out << attempt.configuration.text() << ": begun " << attempt.begun << ", alone " << attempt.alone;
}

namespace {

using test::configuration;
using test::sample_trial;
using testing::ElementsAre;
using testing::IsEmpty;

// Each time alone, unless said.
Attempt attempt(int block, int begun, int alone) { return {configuration(block), begun, alone}; }
Attempt attempt(int block, int begun) { return attempt(block, begun, begun); }

class WisdomAttempts : public test::WisdomTest {
 protected:
  WisdomStore store_{file_};
  const std::int64_t session_ = begin(store_);
  Attempt begin_attempt(int block, bool alone = true) {
    return store_.begin_attempts(session_, {configuration(block)}, alone).front();
  }
  void withdraw(int block, bool alone) { store_.withdraw_attempts(session_, {configuration(block)}, alone); }
  std::vector<Attempt> open() { return store_.open_attempts(session_); }
};

TEST_F(WisdomAttempts, CountHowOftenEachConfigurationWasBegun) {
  EXPECT_THAT(open(), IsEmpty());
  EXPECT_EQ(begin_attempt(1), attempt(1, 1));
  EXPECT_EQ(begin_attempt(2), attempt(2, 1));
  EXPECT_THAT(open(), ElementsAre(attempt(1, 1), attempt(2, 1)));
  EXPECT_EQ(begin_attempt(1), attempt(1, 2));
  EXPECT_THAT(open(), ElementsAre(attempt(1, 2), attempt(2, 1))) << "the first begun stays first";
}

TEST_F(WisdomAttempts, CountHowOftenNothingElseWasUnderWayAndAreWithdrawnOneAtATime) {
  EXPECT_EQ(begin_attempt(1, false), attempt(1, 1, 0));
  EXPECT_EQ(begin_attempt(1, true), attempt(1, 2, 1));
  EXPECT_EQ(begin_attempt(1, false), attempt(1, 3, 1));
  withdraw(1, false);
  EXPECT_THAT(open(), ElementsAre(attempt(1, 2, 1)));
  withdraw(1, true);
  EXPECT_THAT(open(), ElementsAre(attempt(1, 1, 0)));
  for (int again = 0; again < 2; ++again) {
    withdraw(1, false);
    EXPECT_THAT(open(), IsEmpty());
  }
}

TEST_F(WisdomAttempts, OfSeveralConfigurationsBeginAndAreWithdrawnTogether) {
  begin_attempt(2);
  const std::vector<Configuration> several = {configuration(1), configuration(2), configuration(3)};
  EXPECT_THAT(store_.begin_attempts(session_, several, false),
              ElementsAre(attempt(1, 1, 0), attempt(2, 2, 1), attempt(3, 1, 0)));
  EXPECT_THAT(open(), ElementsAre(attempt(2, 2, 1), attempt(1, 1, 0), attempt(3, 1, 0)));
  store_.withdraw_attempts(session_, several, false);
  EXPECT_THAT(open(), ElementsAre(attempt(2, 1)));
}

TEST_F(WisdomAttempts, EndWithTheTrialOfTheirConfiguration) {
  for (const int block : {1, 2}) begin_attempt(block);
  store_.add_trial(session_, sample_trial(1));
  EXPECT_THAT(open(), ElementsAre(attempt(2, 1)));
  store_.add_trial(session_, sample_trial(3));
  EXPECT_THAT(open(), ElementsAre(attempt(2, 1))) << "a trial without an attempt ends none";
  Trial failed = sample_trial(2);
  failed.verdict = Verdict::fault;
  store_.add_trial(session_, failed);
  EXPECT_THAT(open(), IsEmpty());
  EXPECT_EQ(begin_attempt(1), attempt(1, 1)) << "what a verdict ended is forgotten";
  const std::vector<Trial> verdicts = {sample_trial(1), sample_trial(4)};
  EXPECT_EQ(store_.begin_attempts(session_, {configuration(5)}, true, verdicts).front(), attempt(5, 1));
  EXPECT_THAT(open(), ElementsAre(attempt(5, 1))) << "what begins comes with the verdicts before it";
  EXPECT_EQ(store_.trials(session_).size(), 4u);
}

TEST_F(WisdomAttempts, BelongToTheirSession) {
  const auto other = begin(store_);
  begin_attempt(1);
  EXPECT_EQ(store_.begin_attempts(other, {configuration(1)}, true).front(), attempt(1, 1));
  store_.add_trial(other, sample_trial(1));
  EXPECT_THAT(open(), ElementsAre(attempt(1, 1)));
  EXPECT_THAT(store_.open_attempts(other), IsEmpty());
  execute("PRAGMA foreign_keys = ON; DELETE FROM session WHERE id = 1");
  EXPECT_THAT(open(), IsEmpty()) << "they go with their session";
}

TEST_F(WisdomAttempts, AreLeftOutAndCountedWhenDamagedAndBegunAnew) {
  int damaged = 0;
  for (const std::string damage :
       {"begun = 0", "begun = 5000000000", "alone = -1", "alone = 2", "configuration = 'nonsense'"}) {
    const auto session = begin(store_);
    for (const int block : {1, 2}) store_.begin_attempts(session, {configuration(block)}, true);
    execute("UPDATE attempt SET " + damage + " WHERE id = (SELECT max(id) - 1 FROM attempt)");
    EXPECT_THAT(store_.open_attempts(session), ElementsAre(attempt(2, 1))) << damage;
    EXPECT_EQ(store_.damaged_rows(), ++damaged) << damage;
    EXPECT_EQ(store_.begin_attempts(session, {configuration(1)}, true).front(), attempt(1, 1)) << damage;
    EXPECT_THAT(store_.open_attempts(session), testing::UnorderedElementsAre(attempt(1, 1), attempt(2, 1))) << damage;
  }
}

}  // namespace
}  // namespace attune
