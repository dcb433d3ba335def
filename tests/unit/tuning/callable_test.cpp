// tune() and find() for callables, in this process. They tell their own times, so that no test depends on the machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "attune/error.hpp"
#include "attune/tune_callable.hpp"
#include "db/wisdom_store.hpp"
#include "support/message_of.hpp"
#include "tuning/program_tunable.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Milliseconds = std::chrono::duration<double, std::milli>;

class TuneCallable : public testing::Test {
 protected:
  TuneCallable() {
    std::string pattern = (fs::temp_directory_path() / "attune-callable-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~TuneCallable() override { fs::remove_all(folder_); }

  // Is fastest at CHUNK=64 with MODE=b-side; a larger n takes longer.
  static Tunable tunable() {
    return {.name = "copies",
            .version = "1",
            .problem = {{"n", 1000}, {"where", "there"}},
            .parameters = {{"CHUNK", {16, 32, 64, 128}}, {"MODE", {"a", "b-side"}}, {"FAST", {false, true}}},
            .rules = {"CHUNK <= n", "!FAST || MODE == \"b-side\""},
            .make = [](const Problem& problem) {
              const double n = static_cast<double>(problem.at("n").integer());
              return [n](const Configuration& configuration) { return Milliseconds(n * cost(configuration)); };
            }};
  }
  static double cost(const Configuration& configuration) {
    const double away = std::abs(static_cast<double>(configuration.at("CHUNK").integer()) - 64) / 64;
    return (1 + away) * (configuration.at("MODE").name() == "a" ? 2 : 1) *
           (configuration.at("FAST").boolean() ? 0.5 : 1);
  }
  TuneCallableOptions here() const {
    TuneCallableOptions options;
    options.isolation = Isolation::none;
    options.strategy = "exhaustive";
    options.database = database();
    return options;
  }
  fs::path database() const { return folder_ / "wisdom.db"; }
  fs::path folder_;
};

TEST_F(TuneCallable, FindsTheBestOfAllLegalConfigurations) {
  const TuneResult result = tune(tunable(), {}, Effort::measure, here());
  ASSERT_TRUE(result.configuration) << result.explanation;
  EXPECT_EQ(result.configuration->text(), "CHUNK=64 MODE=b-side FAST=true");
  EXPECT_EQ(result.end, Ending::everything_tried);
  EXPECT_EQ(result.trials, 4 * 3);
  EXPECT_DOUBLE_EQ(result.median_ns, 500e6);
  EXPECT_DOUBLE_EQ(result.default_ns, 3500e6);
  EXPECT_DOUBLE_EQ(result.speedup, 7);
}

TEST_F(TuneCallable, WhatIsFoundIsFoundAgainByItsVersionAlone) {
  EXPECT_EQ(find(tunable(), {}, database()).rung, Rung::none);
  EXPECT_EQ(find(tunable(), {}, database()).configuration.text(), "CHUNK=16 MODE=a FAST=false");
  const TuneResult result = tune(tunable(), {}, Effort::measure, here());
  const Match match = find(tunable(), {}, database());
  EXPECT_EQ(match.rung, Rung::exact) << match.why;
  EXPECT_EQ(match.configuration, *result.configuration);
  EXPECT_EQ(tune(tunable(), {}, Effort::measure, here()).end, Ending::known);
  EXPECT_EQ(tune(tunable(), {}, Effort::estimate, here()).configuration, result.configuration);

  EXPECT_EQ(find(tunable(), {{"n", 1500}}, database()).rung, Rung::near_problem);
  const Match elsewhere = find(tunable(), {{"where", "here"}}, database());
  EXPECT_EQ(elsewhere.rung, Rung::none);
  EXPECT_THAT(elsewhere.why, HasSubstr("tune() of its program, for n=1000 where=here"));
  Tunable other = tunable();
  other.version = "2";
  EXPECT_EQ(find(other, {}, database()).rung, Rung::none);
  other = tunable();
  other.name = "moves";
  EXPECT_EQ(find(other, {}, database()).rung, Rung::none);
}

TEST_F(TuneCallable, AStoppedSessionGoesOn) {
  const auto source = std::make_unique<std::stop_source>();  // on the stack, GCC 12 warns of it under sanitizers
  TuneCallableOptions stopped = here();
  stopped.stop = source->get_token();
  stopped.on_trial = [&](const TuneTrial& trial) {
    if (trial.trials == 3) source->request_stop();
  };
  const TuneResult first = tune(tunable(), {}, Effort::measure, stopped);
  EXPECT_EQ(first.end, Ending::interrupted);
  EXPECT_LT(first.trials, 12);
  int seen = 0;
  TuneCallableOptions rest = here();
  rest.on_trial = [&](const TuneTrial&) { ++seen; };
  const TuneResult second = tune(tunable(), {}, Effort::measure, rest);
  EXPECT_EQ(second.trials, 12);
  EXPECT_LE(seen, 12 - first.trials + 1) << "the anchor alone is tried again";
}

TEST_F(TuneCallable, WhatThrowsOrIsWrongFailsAlone) {
  Tunable flawed = tunable();
  flawed.make = [](const Problem&) -> Work {
    return {[](const Configuration& configuration) {
              if (configuration.at("CHUNK").integer() == 64) throw std::runtime_error("no such chunk");
              if (configuration == Configuration{{"CHUNK", 16}, {"MODE", "b-side"}, {"FAST", true}})
                throw OutOfMemory("no room for 16");
              if (configuration.at("CHUNK").integer() == 128) return Milliseconds(-1);
              return Milliseconds(cost(configuration));
            },
            [](const Configuration& configuration) {
              return configuration.at("FAST").boolean() ? std::string("element 7 is 3") : std::string();
            }};
  };
  std::map<std::string, std::string> verdicts, details;
  TuneCallableOptions options = here();
  options.on_trial = [&](const TuneTrial& trial) {
    verdicts[trial.configuration.text()] = trial.verdict;
    details[trial.configuration.text()] = trial.detail;
  };
  const TuneResult result = tune(flawed, {}, Effort::measure, options);
  ASSERT_TRUE(result.configuration) << result.explanation;
  EXPECT_EQ(result.configuration->text(), "CHUNK=32 MODE=b-side FAST=false");
  EXPECT_EQ(verdicts["CHUNK=64 MODE=a FAST=false"], "fault");
  EXPECT_THAT(details["CHUNK=64 MODE=a FAST=false"], HasSubstr("it threw: no such chunk"));
  EXPECT_EQ(verdicts["CHUNK=128 MODE=a FAST=false"], "fault");
  EXPECT_THAT(details["CHUNK=128 MODE=a FAST=false"], HasSubstr("its clock"));
  EXPECT_EQ(verdicts["CHUNK=16 MODE=b-side FAST=true"], "out_of_memory");
  EXPECT_EQ(details["CHUNK=16 MODE=b-side FAST=true"], "no room for 16");
  EXPECT_EQ(verdicts["CHUNK=32 MODE=b-side FAST=true"], "wrong_result");
  EXPECT_EQ(details["CHUNK=32 MODE=b-side FAST=true"], "element 7 is 3");
}

TEST_F(TuneCallable, ACallableWithoutAClockIsTimedByTheWall) {
  Tunable plain = tunable();
  plain.parameters = {{"CHUNK", {16, 64}}};
  plain.rules.clear();
  std::int64_t calls = 0;
  TuneCallableOptions options = here();
  options.isolation = TuneCallableOptions().isolation;  // work that exists here alone has no other place
  const TuneResult result = tune(plain, Work([&](const Configuration&) { ++calls; }), Effort::measure, options);
  ASSERT_TRUE(result.configuration) << result.explanation;
  EXPECT_GT(result.median_ns, 0);
  EXPECT_LT(result.median_ns, 1e9);
  EXPECT_GT(calls, 0);
  const std::vector<Record> records = WisdomStore(database()).records("copies");
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].key.regime, "warm");
  EXPECT_TRUE(records[0].key.device_class.starts_with("callable|")) << records[0].key.device_class;
  EXPECT_FALSE(records[0].self_checked);
}

TEST_F(TuneCallable, TheDeviceIsTheOneThatTheProgramNames) {
  Tunable on_gpu = tunable();
  on_gpu.rules.emplace_back("CHUNK <= device.multiprocessors");
  on_gpu.device = [] {
    DeviceInfo info;
    info.name = "Some GPU";
    info.compute_capability = 90;
    info.multiprocessors = 32;
    return info;
  };
  const TuneResult result = tune(on_gpu, {}, Effort::measure, here());
  ASSERT_TRUE(result.configuration) << result.explanation;
  EXPECT_EQ(result.configuration->text(), "CHUNK=32 MODE=b-side FAST=true");
  EXPECT_EQ(find(on_gpu, {}, database()).rung, Rung::exact);
  EXPECT_EQ(find(tunable(), {}, database()).rung, Rung::none);
}

TEST_F(TuneCallable, RefusesWhatCannotBe) {
  const auto refusal = [&](const std::function<void(Tunable&)>& change, const Problem& problem = {}) {
    Tunable changed = tunable();
    change(changed);
    return message_of<UsageError>([&] { tune(changed, problem, Effort::measure, here()); });
  };
  EXPECT_THAT(refusal([](Tunable& t) { t.name = "a b"; }), HasSubstr("a tunable has a name"));
  EXPECT_THAT(refusal([](Tunable& t) { t.version = ""; }), HasSubstr("`version`"));
  EXPECT_THAT(refusal([](Tunable& t) { t.make = nullptr; }), HasSubstr("`make`"));
  EXPECT_THAT(refusal([](Tunable& t) { t.parameters[0].name = "n"; }), HasSubstr("`n` stands for two things"));
  EXPECT_THAT(refusal([](Tunable& t) { t.parameters[0].values.clear(); }), HasSubstr("`CHUNK` has no values"));
  EXPECT_THAT(refusal([](Tunable& t) { t.parameters[1].values = {"b side"}; }), HasSubstr("no blanks"));
  EXPECT_THAT(refusal([](Tunable& t) { t.rules = {"CHUNKS < 3"}; }), HasSubstr("CHUNKS"));
  EXPECT_THAT(refusal([](Tunable&) {}, {{"m", 1}}), HasSubstr("the problem has no `m`"));
  EXPECT_THAT(refusal([](Tunable&) {}, {{"n", 0}}), HasSubstr("expected a value like 1000"));
  TuneCallableOptions of_kernels = here();
  of_kernels.devices = "all";
  const auto refused = [&] { tune(tunable(), {}, Effort::measure, of_kernels); };
  EXPECT_THAT(message_of<UsageError>(refused), HasSubstr("TuneOptions::devices is of kernels"));
  of_kernels.devices.clear();
  of_kernels.executable = "/bin/true";
  EXPECT_THAT(message_of<UsageError>(refused), HasSubstr("TuneOptions::executable is of kernels"));
  const std::string unknown = message_of<UsageError>([&] { tune(tunable(), {}, Effort::measure, {}); });
  EXPECT_THAT(unknown, AllOf(HasSubstr("worker_main(argc, argv, {...})"), HasSubstr("Isolation::none")));
}

TEST_F(TuneCallable, WhereNoConfigurationIsLegalNothingIsFound) {
  EXPECT_EQ(tune(tunable(), {{"n", 1}}, Effort::measure, here()).end, Ending::no_survivor);
  EXPECT_THAT(message_of<Error>([&] { find(tunable(), {{"n", 1}}, database()); }), HasSubstr("is legal for n=1"));
}

// A part of a line, without its end, may lie in the program's buffer for ever.
TEST(ProgramTunable, AnAnswerThatDoesNotComeIsWaitedForSoLong) {
  const auto ask = [] { ask_for_tunable("read line; printf '{}'; exec sleep 60", 0.1); };
  EXPECT_THAT(message_of<Error>(ask), AllOf(HasSubstr("exec sleep 60"), HasSubstr("one line, flushed")));
}

}  // namespace
}  // namespace attune
