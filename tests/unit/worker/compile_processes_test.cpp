// Compiling in workers that do what a test says.
#include "worker/compile_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <functional>
#include <latch>
#include <thread>

#include "attune/error.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What all workers of a test do: by the expressions of a request and its attempt.
struct Script {
  // Ends other than `replied` for a request of these expressions.
  std::function<Heard::End(const std::string& expressions, int attempt)> ends = [](const auto&, int) {
    return Heard::End::replied;
  };
  Answer opened = CompilerOpened{"scripted", 4, false};
  double milliseconds = 10;
  std::size_t forgotten = 0;      // outcomes that are left out of an answer
  std::vector<std::string> seen;  // "a b#1"
  std::vector<double> seconds;
  std::atomic<int> made{0}, restarts{0};
};

class ScriptedWorker final : public Transport {
 public:
  explicit ScriptedWorker(Script& script) : script_(script) { ++script.made; }
  Heard ask(const Request& request, double seconds) override {
    const auto* images = std::get_if<CompileImages>(&request);
    if (images == nullptr) return {Heard::End::replied, {.answer = script_.opened}, ""};
    std::string text;
    ImagesCompiled compiled;
    for (const ImageRequest& one : images->requests) {
      text += (text.empty() ? "" : " ") + one.expressions.front();
      Image image;
      image.architecture = one.expressions.front();
      compiled.outcomes.push_back({Verdict::ok, "", image, script_.milliseconds});
    }
    script_.seen.push_back(text + "#" + std::to_string(images->attempt));
    script_.seconds.push_back(seconds);
    const Heard::End end = script_.ends(text, images->attempt);
    if (end != Heard::End::replied) return {end, {}, "as the test says"};
    compiled.outcomes.resize(compiled.outcomes.size() - std::min(script_.forgotten, compiled.outcomes.size()));
    return {end, {.answer = compiled}, ""};
  }
  void restart() override { ++script_.restarts; }
  int started() const noexcept override { return 1; }

 private:
  Script& script_;
};

class CompileProcessesTest : public testing::Test {
 protected:
  CompileProcesses::Start start() {
    return [this] { return std::make_unique<ScriptedWorker>(script_); };
  }
  static std::vector<ImageRequest> requests(const std::vector<std::string>& names) {
    std::vector<ImageRequest> made(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) made[i].expressions = {names[i]};
    return made;
  }
  static Heard::End when(bool fails) { return fails ? Heard::End::died : Heard::End::replied; }
  Script script_;
};

TEST_F(CompileProcessesTest, GivesOneOutcomeForEachRequestInOrder) {
  CompileProcesses compiler(start());
  EXPECT_EQ(compiler.toolchain(), "scripted");
  EXPECT_EQ(compiler.preferred_batch(), 4u);
  const std::vector<CompileOutcome> outcomes = compiler.compile(requests({"a", "b"}));
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[1].image->architecture, "b");
  EXPECT_EQ(script_.made, 1);  // the worker that was asked what it compiles with
}

TEST_F(CompileProcessesTest, AMissingCompilerIsToldAtTheStart) {
  script_.opened = Failure{Failure::Kind::error, "no NVRTC"};
  EXPECT_THROW(
      try { CompileProcesses{start()}; } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "no NVRTC");
        throw;
      },
      Error);
  script_.opened = Done{};
  EXPECT_THROW(CompileProcesses{start()}, Error);
}

TEST_F(CompileProcessesTest, WhoeverOfABatchKillsItsWorkerTwiceAloneIsBlamed) {
  CompileProcesses compiler(start());
  compiler.compile(requests({"anchor"}));
  script_.seen.clear();
  script_.ends = [](const std::string& text, int) { return when(text.find('b') != std::string::npos); };
  const std::vector<CompileOutcome> outcomes = compiler.compile(requests({"x", "b", "c"}));
  EXPECT_EQ(outcomes[0].verdict, Verdict::ok);
  EXPECT_EQ(outcomes[1].verdict, Verdict::compile_crash);
  EXPECT_THAT(outcomes[1].log, HasSubstr("as the test says"));
  EXPECT_EQ(outcomes[2].verdict, Verdict::ok);
  EXPECT_THAT(script_.seen, ElementsAre("x b c#1", "x#1", "b#1", "anchor#1", "b#2", "anchor#1", "c#1"));
}

TEST_F(CompileProcessesTest, ADeathIsForgivenWhenTheSecondAttemptPasses) {
  CompileProcesses compiler(start());
  script_.ends = [](const std::string&, int attempt) { return when(attempt == 1); };
  EXPECT_EQ(compiler.compile(requests({"b"})).front().verdict, Verdict::ok);
  EXPECT_THAT(script_.seen, ElementsAre("b#1", "b#2"));
}

TEST_F(CompileProcessesTest, LatenessIsATimeout) {
  CompileProcesses compiler(start());
  script_.ends = [](const std::string&, int) { return Heard::End::timed_out; };
  EXPECT_EQ(compiler.compile(requests({"b"})).front().verdict, Verdict::compile_timeout);
}

TEST_F(CompileProcessesTest, WhenTheAnchorFailsTooTheEnvironmentIsBlamed) {
  CompileProcesses compiler(start());
  compiler.compile(requests({"anchor"}));
  script_.ends = [](const std::string&, int) { return Heard::End::died; };
  EXPECT_THROW(
      try { compiler.compile(requests({"b"})); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("no configuration is blamed"));
        throw;
      },
      Error);
}

TEST_F(CompileProcessesTest, AnAnchorThatFailsOnceDoesNotBlameTheEnvironment) {
  CompileProcesses compiler(start());
  compiler.compile(requests({"anchor"}));
  script_.ends = [](const std::string& text, int attempt) { return when(text == "b" || attempt == 1); };
  EXPECT_EQ(compiler.compile(requests({"b"})).front().verdict, Verdict::compile_crash);
}

TEST_F(CompileProcessesTest, AnAnswerWithTooFewOutcomesIsADeath) {
  CompileProcesses compiler(start());
  script_.forgotten = 1;
  EXPECT_EQ(compiler.compile(requests({"b"})).front().verdict, Verdict::compile_crash);
  EXPECT_EQ(script_.restarts, 2);
}

TEST_F(CompileProcessesTest, TheDeadlineAdaptsOnceTwentyImagesAreKnown) {
  CompileProcesses compiler(start());
  script_.milliseconds = 3000;
  for (int i = 0; i < 21; ++i) compiler.compile(requests({"a"}));
  EXPECT_EQ(script_.seconds.front(), 60);
  EXPECT_EQ(script_.seconds.back(), 30);  // ten times three seconds
  compiler.compile(requests({"a", "b", "c"}));
  EXPECT_EQ(script_.seconds.back(), 90);
  script_.milliseconds = 1;
  for (int i = 0; i < 300; ++i) compiler.compile(requests({"a"}));
  EXPECT_EQ(script_.seconds.back(), 20);
}

TEST_F(CompileProcessesTest, AUsersLimitStands) {
  setenv("ATTUNE_COMPILE_LIMIT", "1.5", 1);
  CompileProcesses compiler(start());
  unsetenv("ATTUNE_COMPILE_LIMIT");
  compiler.compile(requests({"a", "b"}));
  EXPECT_EQ(script_.seconds.back(), 3);
}

TEST_F(CompileProcessesTest, ThreadsHaveWorkersOfTheirOwnWhichLiveOn) {
  class Waiting final : public Transport {
   public:
    Waiting(std::latch& all, std::atomic<int>& made) : all_(all) { ++made; }
    Heard ask(const Request& request, double) override {
      if (!std::holds_alternative<CompileImages>(request))
        return {Heard::End::replied, {.answer = CompilerOpened{}}, ""};
      all_.arrive_and_wait();  // all three must be at work at once
      ImagesCompiled compiled;
      compiled.outcomes.push_back({Verdict::ok, "", Image{}, 1});
      return {Heard::End::replied, {.answer = compiled}, ""};
    }
    void restart() override {}
    int started() const noexcept override { return 1; }

   private:
    std::latch& all_;
  };
  std::latch all(3);
  std::atomic<int> made{0};
  CompileProcesses compiler([&] { return std::make_unique<Waiting>(all, made); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { compiler.compile(requests({"a"})); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made, 3);
  EXPECT_EQ(compiler.started(), 3);
}

}  // namespace
}  // namespace attune
