// The table of plans that plan(), launches of Kernel and prepare() share: which plan serves whom.
#include "plan_table_fixture.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

// Another process has the database locked.
class LockedDatabase {
 public:
  explicit LockedDatabase(const std::filesystem::path& file) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database_, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~LockedDatabase() { sqlite3_close(database_); }

 private:
  sqlite3* database_ = nullptr;
};

TEST_F(PlanTable, AProblemThatWasPlannedWhileTheDatabaseWasLockedIsAskedForOnceASecond) {
  cache_default();
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::cached_only), 64);
  }
  wait_until_it_is_asked_again();
  EXPECT_EQ(launch(Policy::cached_only), 64) << "the record's image is not there";
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(plans(), before);
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, WhatIsFoundOnceTheDatabaseIsReadTakesThePlaceOfADefault) {
  remember(1500, 256);
  EXPECT_EQ(planned(Policy::wait, 1500), "BLOCK=256");
  cache_default();
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::cached_only), 64);
  }
  wait_until_it_is_asked_again();
  EXPECT_EQ(launch(Policy::cached_only), 256) << "of a near problem, whose image is cached";
}

TEST_F(PlanTable, PrepareAsksForAProblemThatWasPlannedWhileTheDatabaseWasLocked) {
  remember(1000, 128);
  {
    const LockedDatabase locked(database());
    EXPECT_EQ(launch(Policy::wait), 64);
  }
  wait_until_it_is_asked_again();
  gpu_->prepare("block", std::array{Problem{{"n", 1000}}});
  EXPECT_EQ(launch(Policy::cached_only), 128);
}

TEST_F(PlanTable, ACapturedFirstLaunchDoesNotDecideForLaterOnes) {
  cache_default();
  remember(1000, 128);
  is_captured = true;
  EXPECT_EQ(launch(Policy::background), 64);
  is_captured = false;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, ALaunchThatWaitsDoesSoAfterOneThatDidNot) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(launch(Policy::wait), 128);
  EXPECT_EQ(launch(Policy::cached_only), 128);
}

// While the best is compiled, some launch what is there, and others wait for it.
TEST_F(PlanTable, ALaunchThatWaitsDoesSoWhileTheBestIsPrepared) {
  cache_default();
  remember(1000, 128);
  held_block = 128;
  EXPECT_EQ(launch(Policy::background), 64);
  reached.acquire();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::background), 64);
  EXPECT_EQ(launch(Policy::cached_only), 64);
  EXPECT_EQ(planned(Policy::background), "BLOCK=64");
  EXPECT_EQ(plans(), 1u);
  std::jthread later([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    released.release();
  });
  EXPECT_EQ(launch(Policy::wait), 128);
}

TEST_F(PlanTable, APreparationThatFailedIsTriedAgain) {
  cache_default();
  remember(1000, 128);
  std::vector<std::string> warnings;
  warn_ = [&](const std::string& message) { warnings.push_back(message); };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  has_compiler_failed = false;
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(launch(Policy::background), 64);
  EXPECT_EQ(plans(), before) << "the default serves for good, as where nothing better can be compiled";
  EXPECT_THAT(warnings, testing::ElementsAre(HasSubstr("(BLOCK=128) cannot be used")));
  gpu_->refresh();
  EXPECT_EQ(launch(Policy::background), 128);
}

TEST_F(PlanTable, APlanOfTheBackgroundPolicyPreparesTheBest) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(planned(Policy::background), "BLOCK=64");
  gpu_->wait_for_background();
  EXPECT_EQ(planned(Policy::background), "BLOCK=128");
  const std::uint64_t before = plans();
  for (int i = 0; i < 100; ++i) planned(Policy::background);
  EXPECT_EQ(plans(), before);
}

TEST_F(PlanTable, APlanOfTheCachedOnlyPolicyAsksOnceASecond) {
  cache_default();
  remember(1000, 128);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(planned(Policy::cached_only), "BLOCK=64");
  EXPECT_EQ(plans(), 1u);
}

}  // namespace
}  // namespace attune
