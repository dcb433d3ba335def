#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "attune/dispatcher.hpp"
#include "device/device.hpp"
#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "support/no_compiler.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Tests of what the dispatcher does with wisdom, good and bad. Each first learns the device from a dispatcher.
class DispatcherWisdom : public DispatchTest {
 protected:
  DispatcherWisdom() : device_(open_device("host")), info_(device_->info()) {
    toolchain_ = device_->compiler()->toolchain();
  }
  static Problem problem(std::int64_t n) { return {{"n", n}, {"T", "int32"}}; }
  static Configuration configuration(std::int64_t offset) { return {{"OFFSET", offset}, {"BLOCK", 32}}; }
  void remember(std::int64_t n, std::int64_t offset) { store(record(info_, problem(n), configuration(offset))); }
  // A fresh dispatcher's plan.
  Plan plan(std::int64_t n) {
    dispatcher_ = std::make_unique<Dispatcher>(options());
    dispatcher_->add(kernel_of(offset_kernel));
    return dispatcher_->plan("offset", problem(n));
  }
  // What the plan adds to each element.
  int offset_of(const Plan& plan) {
    const auto n = static_cast<std::size_t>(plan.problem().at("n").integer());
    const Buffer<int> data(*dispatcher_, std::vector<int>(n, 0)), count(*dispatcher_, 2);
    plan.launch(nullptr, data, count, n);
    return data.to_vector().at(n - 1);
  }
  std::unique_ptr<Device> device_;
  DeviceInfo info_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherWisdom, AnExactRecordIsLaunched) {
  remember(1000, 2);
  const Plan plan = this->plan(1000);
  EXPECT_EQ(plan.match().rung, Rung::exact) << plan.match().why;
  EXPECT_EQ(plan.configuration().text(), "OFFSET=2 BLOCK=32");
  EXPECT_EQ(plan.match().speedup, 1.5);
  EXPECT_EQ(plan.match().record_problem, "n=1000 T=int32");
  EXPECT_EQ(offset_of(plan), 2);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(DispatcherWisdom, ARecordIsUsedForWhatItWasTunedFor) {
  Record warm = record(info_, problem(1000), configuration(2));
  warm.key.regime = "warm";
  warm.key.objective = "energy * time";
  store(warm);
  EXPECT_EQ(plan(1000).match().rung, Rung::none);
  DispatcherOptions wanted = options();
  wanted.regime = "warm";
  wanted.objective = "energy * time";
  Dispatcher dispatcher(wanted);
  dispatcher.add(kernel_of(offset_kernel));
  EXPECT_EQ(dispatcher.match("offset", problem(1000)).rung, Rung::exact);
  EXPECT_THAT(dispatcher.match("offset", {{"n", 7}, {"T", "int64"}}).why,
              HasSubstr("--regime warm --objective \"energy * time\""));
}

TEST_F(DispatcherWisdom, ARecordOfAnotherRegimeIsLaunchedWhereThereIsNoneOfItsOwn) {
  Record stream = record(info_, problem(1000), configuration(2));
  stream.key.regime = "stream";
  store(stream);
  const Plan plan = this->plan(1000);
  EXPECT_EQ(plan.match().rung, Rung::other_regime) << plan.match().why;
  EXPECT_EQ(offset_of(plan), 2);
  remember(1000, 1);
  EXPECT_EQ(this->plan(1000).match().rung, Rung::exact);
}

TEST_F(DispatcherWisdom, TheNearestProblemsRecordIsLaunched) {
  remember(1000, 2);
  const Plan near = plan(1500);
  EXPECT_EQ(near.match().rung, Rung::near_problem);
  EXPECT_EQ(offset_of(near), 2);
  EXPECT_EQ(plan(2001).match().rung, Rung::none);
}

TEST_F(DispatcherWisdom, RulesAreCheckedAgainForTheNewProblem) {
  remember(150, 3);  // OFFSET = 3 needs n >= 100
  EXPECT_EQ(plan(100).match().rung, Rung::near_problem);
  EXPECT_EQ(plan(99).match().rung, Rung::none);
}

TEST_F(DispatcherWisdom, AnotherToolchainOrDriverIsStaleAndStillUsed) {
  toolchain_ = "g++ 1.0";
  remember(1000, 2);
  Plan stale = plan(1000);
  EXPECT_EQ(stale.match().rung, Rung::stale);
  EXPECT_THAT(stale.match().why, HasSubstr("g++ 1.0"));
  EXPECT_EQ(offset_of(stale), 2);
  Dispatcher other(options());
  other.add(kernel_of(offset_kernel));
  EXPECT_EQ(other.match("offset", problem(1000)).rung, Rung::stale);  // without planning, too
}

TEST_F(DispatcherWisdom, ARecordThatDoesNotCompileGivesWayWithOneWarning) {
  remember(1000, 13);
  const Plan fallen = plan(1000);
  EXPECT_EQ(fallen.match().rung, Rung::none);
  EXPECT_EQ(offset_of(fallen), 1);
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("the recorded configuration of offset (OFFSET=13 BLOCK=32) cannot be used"));
  EXPECT_EQ(dispatcher_->match("offset", problem(1000)).rung, Rung::none);  // it says what the plan does
}

TEST_F(DispatcherWisdom, OneThatDoesNotCompileGivesWayToANearOne) {
  remember(1000, 13);
  remember(1200, 2);
  const Plan fallen = plan(1000);
  EXPECT_EQ(fallen.match().rung, Rung::near_problem);
  EXPECT_EQ(offset_of(fallen), 2);
}

TEST_F(DispatcherWisdom, TheNearestThatDoesNotCompileGivesWayToTheSecondNearest) {
  remember(1100, 13);
  remember(1200, 2);
  const Plan fallen = plan(1000);
  EXPECT_EQ(fallen.match().rung, Rung::near_problem);
  EXPECT_EQ(offset_of(fallen), 2);
}

// The default of this kernel does not compile.
class FailingDefault : public DispatcherWisdom {
 protected:
  static EmbeddedFile kernel() {
    static const std::string changed = [] {
      std::string text(offset_kernel.text);
      text.replace(text.find("[1, 2, 3, 13]"), 13, "[13, 1, 2, 3]");
      return text;
    }();
    return {"offset.cu", changed};
  }
  Record record_of(std::int64_t n, std::int64_t offset, Verdict of_default) {
    Record made = record(info_, problem(n), configuration(offset), kernel());
    made.default_verdict = of_default;
    return made;
  }
  Dispatcher& open() {
    dispatcher_ = std::make_unique<Dispatcher>(options());
    dispatcher_->add(kernel_of(kernel()));
    return *dispatcher_;
  }
  int launched(const Kernel& kernel, std::size_t n) {
    const Buffer<int> data(*dispatcher_, std::vector<int>(n, 0)), count(*dispatcher_, 2);
    kernel.launch(nullptr, {}, data, count, n);
    return data.to_vector().at(n - 1);
  }
};

TEST_F(FailingDefault, GivesWayToWhatIsKnownOfAnotherProblem) {
  store(record_of(8000, 2, Verdict::ok));  // as of a session that did not try it
  Plan plan = open().plan("offset", problem(1000));
  EXPECT_EQ(plan.match().rung, Rung::other_problem) << plan.match().why;
  EXPECT_EQ(plan.match().record_problem, "n=8000 T=int32");
  EXPECT_EQ(offset_of(plan), 2);
  EXPECT_THAT(warnings_, ElementsAre(testing::AllOf(
                             HasSubstr("the default of offset (OFFSET=13 BLOCK=64) cannot be used for n=1000 T=int32"),
                             HasSubstr("compile_error"), HasSubstr("using what was found for n=8000 T=int32"))));
  EXPECT_EQ(launched(open().kernel("offset"), 1000), 2) << "by another policy";
  EXPECT_EQ(dispatcher_->statistics().plans[static_cast<std::size_t>(Rung::other_problem)], 1u);
}

TEST_F(FailingDefault, IsNotTriedWhereItIsKnownToFail) {
  store(record_of(8000, 2, Verdict::compile_error));
  EXPECT_EQ(open().match("offset", problem(1000)).rung, Rung::other_problem);
  const Plan plan = dispatcher_->plan("offset", problem(1000));
  EXPECT_THAT(plan.match().why,
              HasSubstr("the default configuration failed (compile_error) when n=8000 T=int32 was tuned"));
  EXPECT_EQ(plan.match().default_failure, "compile_error");
  EXPECT_EQ(offset_of(plan), 2);
  EXPECT_EQ(launched(open().kernel("offset"), 900), 2);
  EXPECT_THAT(warnings_, IsEmpty());
}

// The record's image is not there: without it, the default would be compiled first, and launched meanwhile.
TEST_F(FailingDefault, NeedNotServeWhileTheBestIsPrepared) {
  store(record_of(1000, 2, Verdict::compile_error));
  EXPECT_EQ(launched(open().kernel("offset"), 1000), 2);
  EXPECT_EQ(dispatcher_->statistics().swaps, 0u);
  store(record_of(9000, 3, Verdict::ok));
  EXPECT_EQ(launched(open().kernel("offset"), 9000), 3) << "it fails, and the record is waited for";
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(FailingDefault, IsNamedWithWhatItsUserCanDo) {
  const auto is_clear = testing::AllOf(
      HasSubstr("the default of offset (OFFSET=13 BLOCK=64) cannot be used for n=1000 T=int32 on "),
      HasSubstr("try: attune check offset.cu --problem \"n=1000 T=int32\" --device host"),
      HasSubstr("attune tune offset.cu --problem \"n=1000 T=int32\" --device host"),
      HasSubstr("list values that can be used first in [parameters]"), HasSubstr("exclude these by a rule"),
      HasSubstr("compile_error: "), HasSubstr("thirteen brings bad luck"));
  open();
  EXPECT_THAT(message_of<Error>([&] { dispatcher_->plan("offset", problem(1000)); }), is_clear);
  EXPECT_THAT(message_of<Error>([&] { launched(dispatcher_->kernel("offset"), 1000); }), is_clear);
  store(record_of(8000, 13, Verdict::ok));
  open();
  EXPECT_THAT(message_of<Error>([&] { dispatcher_->plan("offset", problem(1000)); }), is_clear) << "so does that";
}

TEST_F(DispatcherWisdom, AWarningMayAskForTheSamePlan) {
  remember(1000, 13);
  DispatcherOptions calling = options();
  int offset = 0;
  calling.warn = [&](const std::string&) { offset = offset_of(dispatcher_->plan("offset", problem(1000))); };
  dispatcher_ = std::make_unique<Dispatcher>(calling);
  dispatcher_->add(kernel_of(offset_kernel));
  EXPECT_EQ(offset_of(dispatcher_->plan("offset", problem(1000))), 1);
  EXPECT_EQ(offset, 1);
}

TEST_F(DispatcherWisdom, AnObjectiveIsTheSameHoweverItIsSpaced) {
  Record traded = record(info_, problem(1000), {{"OFFSET", 2}, {"BLOCK", 32}});
  traded.key.objective = "energy, time";
  store(traded);
  DispatcherOptions wished = options();
  wished.objective = " energy,time";
  Dispatcher gpu(wished);
  gpu.add(kernel_of(offset_kernel));
  EXPECT_EQ(gpu.match("offset", problem(1000)).rung, Rung::exact);
}

TEST_F(DispatcherWisdom, AValueThatIsGoneIsNotUsed) {
  store(record(info_, problem(1000), {{"OFFSET", 2}, {"BLOCK", 16}}));
  EXPECT_EQ(plan(1000).match().rung, Rung::none);
}

TEST_F(DispatcherWisdom, ADamagedDatabaseIsOneWarning) {
  std::ofstream(database()) << std::string(20000, 'x');
  std::filesystem::permissions(database(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(offset_of(plan(1000)), 1);
  dispatcher_->add(builtin::axpy);
  dispatcher_->plan("offset", problem(2000));
  dispatcher_->plan("axpy", {{"n", 10}});
  ASSERT_THAT(warnings_, testing::Not(IsEmpty()));
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(database().string())));
}

TEST_F(DispatcherWisdom, ALockedDatabaseIsOneWarning) {
  remember(1000, 2);
  sqlite3* raw = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &raw), SQLITE_OK);
  const std::unique_ptr<sqlite3, decltype(&sqlite3_close)> owner(raw, sqlite3_close);
  ASSERT_EQ(sqlite3_exec(raw, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(plan(1000).match().rung, Rung::none);
  for (const EmbeddedBundle& kernel : {builtin::axpy, builtin::reduce, builtin::dot, builtin::scan})
    dispatcher_->add(kernel);
  for (const char* const kernel : {"axpy", "reduce", "dot", "scan"}) dispatcher_->match(kernel, {{"n", 1000}});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4)) << "it is waited for once, and briefly";
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(database().string())));
  ASSERT_EQ(sqlite3_exec(raw, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  std::this_thread::sleep_for(std::chrono::milliseconds(1200));
  EXPECT_EQ(offset_of(dispatcher_->plan("offset", problem(1000))), 2) << "the same problem, once the file is free";
  EXPECT_EQ(dispatcher_->plan("offset", problem(1000)).match().rung, Rung::exact);
}

TEST_F(DispatcherWisdom, ACacheThatCannotBeUsedIsAWarningAndACompile) {
  std::ofstream(folder_ / "cache") << "a file, not a folder";
  EXPECT_EQ(offset_of(plan(1000)), 1);
  ASSERT_FALSE(warnings_.empty());
  EXPECT_THAT(warnings_[0], HasSubstr("the image cache is not used"));
}

TEST_F(DispatcherWisdom, ASecondStartNeedsNoCompiler) {
  remember(1000, 2);
  EXPECT_EQ(offset_of(plan(1000)), 2);
  const test::NoCompiler gone;
  const Plan cached = plan(1000);
  EXPECT_EQ(cached.match().rung, Rung::exact);
  EXPECT_EQ(offset_of(cached), 2);
  EXPECT_EQ(dispatcher_->match("offset", problem(1000)).rung, Rung::exact);
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(dispatcher_->plan("offset", problem(10)).match().rung, Rung::other_problem) << "its image is there";
  EXPECT_THROW(dispatcher_->plan("offset", {{"n", 10}, {"T", "int64"}}), Error);  // of which no image is there
}

TEST_F(DispatcherWisdom, WithoutACompilerACachedDefaultIsBetterThanNothing) {
  EXPECT_EQ(offset_of(plan(1000)), 1);  // compiles the default
  remember(1000, 2);
  const test::NoCompiler gone;
  EXPECT_EQ(offset_of(plan(1000)), 1);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("cannot be used")));
}

TEST_F(DispatcherWisdom, AWarningAboutADamagedRecordSaysHowToKeepTheSoundOnes) {
  remember(1000, 2);
  Record damaged = record(info_, problem(5000), configuration(3));
  damaged.toolchain = "UNMISTAKABLE";
  store(damaged);
  std::fstream file(database(), std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  file.seekp(static_cast<std::streamoff>(bytes.find("UNMISTAKABLE"))).put('X');
  file.close();
  EXPECT_EQ(offset_of(plan(5000)), 1);
  EXPECT_THAT(warnings_, ElementsAre(testing::AllOf(
                             HasSubstr("1 damaged record of offset in " + database().string() + " left out"),
                             HasSubstr("attune tune"), HasSubstr("to keep what is sound: attune export"),
                             testing::Not(HasSubstr("remove")))));
  EXPECT_EQ(offset_of(plan(1000)), 2) << "what is sound serves";
}

TEST_F(DispatcherWisdom, ADamagedImageIsCompiledAgain) {
  EXPECT_EQ(offset_of(plan(1000)), 1);
  int damaged = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "cache")) {
    if (!entry.is_regular_file()) continue;
    std::filesystem::resize_file(entry.path(), entry.file_size() / 2);
    ++damaged;
  }
  EXPECT_GT(damaged, 0);
  EXPECT_EQ(offset_of(plan(1000)), 1);
}

}  // namespace
}  // namespace attune
