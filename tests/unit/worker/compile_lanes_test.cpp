// Compiling in workers that do what a test says.
#include "worker/compile_lanes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

#include "attune/error.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What all workers of a test do: by the expressions of a job and its attempt.
struct CompilerScript {
  // Ends other than `replied` for a job of these expressions.
  std::function<Receipt::End(const std::string& expressions, int attempt)> ends = [](const auto&, int) {
    return Receipt::End::replied;
  };
  // The verdict on one image, of a worker that lives.
  std::function<Verdict(const std::string& expression, int attempt)> verdicts = [](const auto&, int) {
    return Verdict::ok;
  };
  int dies_before = 0;  // so many jobs that are not begun then
  Answer opened = CompilerFacts{"scripted", 4, false};
  double milliseconds = 10;
  std::size_t forgotten = 0;      // outcomes that are left out of an answer
  std::vector<std::string> seen;  // "a b#1"
  std::vector<double> seconds, seconds_to_begin;
  std::vector<bool> forgives;  // what workers wait for processors
  std::atomic<int> made{0}, restarts{0};

  std::mutex mutex;
  std::condition_variable changed;
  int busy = 0, wanted = 0;  // workers at images; how many must be before one of them answers
};

// A worker that acknowledges its jobs, as one in a process does.
class ScriptedWorker final : public Transport {
 public:
  explicit ScriptedWorker(CompilerScript& script) : script_(script) { ++script.made; }
  void send(const Job& job, double) override {
    job_ = job;
    is_begun_ = false;
  }
  Receipt receive(TimeLimit limit) override {
    const double seconds = limit.seconds;
    if (!std::exchange(is_begun_, true)) return begin(seconds);
    const auto* images = std::get_if<Compile>(&job_);
    if (images == nullptr) return {Receipt::End::replied, {.answer = script_.opened}, ""};
    std::string text;
    CompileAnswer compiled;
    for (const ImageRequest& one : images->requests) {
      text += (text.empty() ? "" : " ") + one.expressions.front();
      Image image;
      image.architecture = one.expressions.front();
      const Verdict verdict = script_.verdicts(one.expressions.front(), images->attempt);
      if (verdict == Verdict::ok)
        compiled.outcomes.push_back({verdict, "", image, script_.milliseconds});
      else
        compiled.outcomes.push_back({verdict, "as the compiler says", {}, script_.milliseconds});
    }
    std::unique_lock lock(script_.mutex);
    script_.seen.push_back(text + "#" + std::to_string(images->attempt));
    script_.seconds.push_back(seconds);
    script_.forgives.push_back(limit.forgives_waiting);
    ++script_.busy;
    script_.changed.notify_all();
    script_.changed.wait(lock, [this] { return script_.busy >= script_.wanted || is_interrupted_; });
    if (std::exchange(is_interrupted_, false)) return {Receipt::End::died, {}, "interrupted"};
    const Receipt::End end = script_.ends(text, images->attempt);
    if (end != Receipt::End::replied) return {end, {}, "as the test says"};
    compiled.outcomes.resize(compiled.outcomes.size() - std::min(script_.forgotten, compiled.outcomes.size()));
    return {end, {.answer = compiled}, ""};
  }
  Receipt begin(double seconds) {
    const std::lock_guard lock(script_.mutex);
    script_.seconds_to_begin.push_back(seconds);
    if (std::holds_alternative<Compile>(job_) && script_.dies_before-- > 0)
      return {Receipt::End::timed_out, {}, "was not begun"};
    return {Receipt::End::replied, {.answer = StartNotice{}}, ""};
  }
  void restart() override {
    ++script_.restarts;
    const std::lock_guard lock(script_.mutex);
    is_interrupted_ = false;
  }
  void interrupt() noexcept override {
    const std::lock_guard lock(script_.mutex);
    is_interrupted_ = true;
    script_.changed.notify_all();
  }

 private:
  CompilerScript& script_;
  Job job_;
  bool is_begun_ = false, is_interrupted_ = false;
};

class CompileLanesTest : public testing::Test {
 protected:
  CompileLanes& lanes() {
    if (!lanes_)
      lanes_ = std::make_unique<CompileLanes>([this] { return std::make_unique<ScriptedWorker>(script_); },
                                              [this](Result result) { deliver(std::move(result)); });
    return *lanes_;
  }
  void deliver(Result result) {
    {
      const std::lock_guard lock(mutex_);
      results_[result.ticket] = std::move(result);
    }
    changed_.notify_all();
  }
  Ticket submit(const std::string& expression) {
    ImageRequest request;
    request.expressions = {expression};
    ++last_.number;
    lanes().submit(last_, request);
    return last_;
  }
  Result wait(Ticket ticket) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return results_.contains(ticket); }));
    Result result = results_[ticket];
    if (result.error) std::rethrow_exception(result.error);
    return result;
  }
  static const CompileOutcome& outcome(const Result& result) {
    return std::get<CompileAnswer>(result.answer).outcomes.front();
  }
  Result compile(const std::string& expression) { return wait(submit(expression)); }
  // While the one lane is at the image "first", a batch of these comes together behind it.
  std::vector<Ticket> submit_together(const std::vector<std::string>& expressions) {
    wait_for_workers(2);
    std::vector<Ticket> tickets;
    submit("first");
    {
      std::unique_lock lock(script_.mutex);
      script_.changed.wait(lock, [this] { return script_.busy == 1; });
    }
    for (const std::string& expression : expressions) tickets.push_back(submit(expression));
    release();
    return tickets;
  }
  void wait_for_workers(int count) {
    const std::lock_guard lock(script_.mutex);
    script_.busy = 0;
    script_.wanted = count;
  }
  void release() {
    const std::lock_guard lock(script_.mutex);
    script_.wanted = 0;
    script_.changed.notify_all();
  }
  std::vector<std::string> take_seen() {
    const std::lock_guard lock(script_.mutex);
    return std::exchange(script_.seen, {});
  }
  static Receipt::End when(bool fails) { return fails ? Receipt::End::died : Receipt::End::replied; }

  CompilerScript script_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Ticket, Result> results_;
  Ticket last_{compile_lane, 0};
  std::unique_ptr<CompileLanes> lanes_;
};

TEST_F(CompileLanesTest, GivesEachTicketItsImage) {
  EXPECT_EQ(lanes().opened().toolchain, "scripted");
  EXPECT_EQ(lanes().opened().preferred_batch, 4u);
  const Ticket a = submit("a"), b = submit("b");
  EXPECT_EQ(outcome(wait(b)).image->architecture, "b");
  EXPECT_EQ(outcome(wait(a)).image->architecture, "a");
  EXPECT_EQ(script_.made, 1) << "the worker that was asked what it compiles with";
}

TEST_F(CompileLanesTest, ABatchThatCannotBeIsNone) {
  script_.opened = CompilerFacts{"scripted", 0, false};
  EXPECT_EQ(lanes().opened().preferred_batch, 1u);
  lanes_.reset();
  script_.opened = CompilerFacts{"scripted", std::uint64_t{1} << 60, false};
  EXPECT_LE(lanes().opened().preferred_batch, 1024u);
}

TEST_F(CompileLanesTest, AMissingCompilerShowsAtTheStart) {
  script_.opened = Failure{Failure::Kind::error, "no NVRTC"};
  EXPECT_THROW(
      try { lanes(); } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "no NVRTC");
        throw;
      },
      Error);
  script_.opened = Acknowledgement{};
  EXPECT_THROW(lanes(), Error);
}

TEST_F(CompileLanesTest, TheImageOfABatchThatKillsItsWorkerTwiceAloneIsBlamed) {
  compile("known_good");
  take_seen();
  script_.ends = [](const std::string& text, int) { return when(text.find('b') != std::string::npos); };
  const std::vector<Ticket> tickets = submit_together({"x", "b", "c"});
  const Result blamed = wait(tickets[1]);
  EXPECT_EQ(outcome(wait(tickets[0])).verdict, Verdict::ok);
  EXPECT_EQ(outcome(blamed).verdict, Verdict::compile_crash);
  EXPECT_THAT(outcome(blamed).log, HasSubstr("as the test says"));
  EXPECT_EQ(blamed.deaths, 2);
  EXPECT_EQ(outcome(wait(tickets[2])).verdict, Verdict::ok);
  EXPECT_EQ(wait(tickets[2]).deaths, 0);
  EXPECT_THAT(take_seen(),
              ElementsAre("first#1", "x b c#1", "x#1", "b#1", "known_good#1", "b#2", "known_good#1", "c#1"));
}

TEST_F(CompileLanesTest, NoBatchIsLargerThanTheCompilerLikes) {
  std::vector<Ticket> tickets = submit_together({"a", "b", "c", "d", "e", "f"});
  for (const Ticket ticket : tickets) EXPECT_EQ(outcome(wait(ticket)).verdict, Verdict::ok);
  EXPECT_THAT(take_seen(), ElementsAre("first#1", "a b c d#1", "e f#1"));
}

TEST_F(CompileLanesTest, ADeathIsForgivenWhenTheSecondAttemptPasses) {
  script_.ends = [](const std::string&, int attempt) { return when(attempt == 1); };
  const Result result = compile("b");
  EXPECT_EQ(outcome(result).verdict, Verdict::ok);
  EXPECT_EQ(result.deaths, 1);
  EXPECT_THAT(take_seen(), ElementsAre("b#1", "b#2"));
}

TEST_F(CompileLanesTest, ADeathOfWhatAWorkerStartedIsForgivenTheSame) {
  for (const Verdict end : {Verdict::compile_crash, Verdict::compile_timeout}) {
    script_.verdicts = [=](const std::string&, int attempt) { return attempt == 1 ? end : Verdict::ok; };
    const Result result = compile("b");
    EXPECT_EQ(outcome(result).verdict, Verdict::ok);
    EXPECT_EQ(result.deaths, 1);
    EXPECT_THAT(take_seen(), ElementsAre("b#1", "b#2"));
    EXPECT_EQ(script_.restarts, 0) << "the worker lives";
    lanes_.reset();
  }
}

TEST_F(CompileLanesTest, TheImageThatKillsWhatItsWorkerStartedTwiceIsBlamed) {
  compile("known_good");
  take_seen();
  script_.verdicts = [](const std::string& text, int) { return text == "b" ? Verdict::compile_crash : Verdict::ok; };
  const std::vector<Ticket> tickets = submit_together({"x", "b", "c"});
  const Result blamed = wait(tickets[1]);
  EXPECT_EQ(outcome(blamed).verdict, Verdict::compile_crash);
  EXPECT_EQ(outcome(blamed).log, "as the compiler says");
  EXPECT_EQ(blamed.deaths, 2);
  for (const std::size_t other : {0, 2}) EXPECT_EQ(outcome(wait(tickets[other])).verdict, Verdict::ok);
  EXPECT_THAT(take_seen(), ElementsAre("first#1", "x b c#1", "known_good#1", "b#2", "known_good#1"));
}

TEST_F(CompileLanesTest, WhatDoesNotCompileIsCompiledOnce) {
  script_.verdicts = [](const std::string&, int) { return Verdict::compile_error; };
  const Result result = compile("b");
  EXPECT_EQ(outcome(result).verdict, Verdict::compile_error);
  EXPECT_EQ(result.deaths, 0);
  EXPECT_THAT(take_seen(), ElementsAre("b#1"));
}

TEST_F(CompileLanesTest, AUsersLimitIsOfWallTimeAndOursOfWork) {
  compile("a");
  EXPECT_TRUE(script_.forgives.back());
  lanes_.reset();
  setenv("ATTUNE_COMPILE_LIMIT", "7", 1);
  compile("a");
  unsetenv("ATTUNE_COMPILE_LIMIT");
  EXPECT_FALSE(script_.forgives.back());
  EXPECT_EQ(script_.seconds.back(), 7);
}

TEST_F(CompileLanesTest, AWorkerThatEndsBeforeItBeginsBlamesNoImage) {
  script_.dies_before = 2;
  const Result result = compile("b");
  EXPECT_EQ(outcome(result).verdict, Verdict::ok);
  EXPECT_EQ(result.deaths, 0);
  EXPECT_THAT(take_seen(), ElementsAre("b#1"));
  EXPECT_EQ(script_.seconds_to_begin.back(), 60 + 60) << "a worker may take its time to start";
  EXPECT_EQ(script_.seconds.back(), 60);
}

TEST_F(CompileLanesTest, AnImageThatNoWorkerBeginsIsBlamedAllTheSame) {
  script_.dies_before = 1000;
  EXPECT_EQ(outcome(compile("b")).verdict, Verdict::compile_timeout);
}

TEST_F(CompileLanesTest, WhenTheKnownGoodImageFailsTooTheEnvironmentIsBlamed) {
  compile("known_good");
  script_.ends = [](const std::string&, int) { return Receipt::End::died; };
  EXPECT_THROW(
      try { compile("b"); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("no configuration is blamed"));
        throw;
      },
      Error);
}

TEST_F(CompileLanesTest, AKnownGoodImageThatFailsOnceDoesNotBlameTheEnvironment) {
  compile("known_good");
  script_.ends = [](const std::string& text, int attempt) { return when(text == "b" || attempt == 1); };
  EXPECT_EQ(outcome(compile("b")).verdict, Verdict::compile_crash);
}

TEST_F(CompileLanesTest, AnAnswerWithTooFewOutcomesIsADeath) {
  script_.forgotten = 1;
  EXPECT_EQ(outcome(compile("b")).verdict, Verdict::compile_crash);
  EXPECT_EQ(script_.restarts, 2);
}

TEST_F(CompileLanesTest, TheDeadlineAdaptsOnceTwentyImagesAreKnown) {
  script_.milliseconds = 3000;
  for (int i = 0; i < 21; ++i) compile("a");
  EXPECT_EQ(script_.seconds.front(), 60);
  EXPECT_EQ(script_.seconds.back(), 30) << "ten times three seconds";
  wait(submit_together({"a", "b", "c"}).back());
  EXPECT_EQ(script_.seconds.back(), 90);
  script_.milliseconds = 1;
  for (int i = 0; i < 300; ++i) compile("a");
  EXPECT_EQ(script_.seconds.back(), 20);
}

TEST_F(CompileLanesTest, SeveralWorkAtOnceAndLiveOn) {
  lanes().set_most(3);
  for (int round = 0; round < 2; ++round) {
    wait_for_workers(3);
    const Ticket a = submit("a"), b = submit("b"), c = submit("c");
    for (const Ticket ticket : {a, b, c}) EXPECT_EQ(outcome(wait(ticket)).verdict, Verdict::ok);
  }
  EXPECT_EQ(script_.made, 3);
}

TEST_F(CompileLanesTest, WhatIsCancelledHasNoResultAndIsNotBlamedOnTheNext) {
  compile("known_good");
  take_seen();
  wait_for_workers(2);  // never
  const Ticket dropped = submit("b");
  {
    std::unique_lock lock(script_.mutex);
    script_.changed.wait(lock, [this] { return script_.busy == 1; });
  }
  const Ticket waiting = submit("c");
  lanes().cancel();
  release();
  const Result next = compile("d");
  EXPECT_EQ(outcome(next).verdict, Verdict::ok);
  EXPECT_EQ(next.deaths, 0);
  EXPECT_FALSE(results_.contains(dropped));
  EXPECT_FALSE(results_.contains(waiting));
  EXPECT_THAT(take_seen(), ElementsAre("b#1", "d#1"));
}

}  // namespace
}  // namespace attune
