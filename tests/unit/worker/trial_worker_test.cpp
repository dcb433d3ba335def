// The coordinator's side of a device worker, whose transport does what a test says: a replay device behind it.
#include "worker/trial_worker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "attune/error.hpp"
#include "db/recording_file.hpp"
#include "device/replay/replay_device.hpp"
#include "worker/direct_transport.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Recording bowl() { return load_recordings(ATTUNE_TEST_DATA "/recordings/bowl.json").at(0); }

// "open", "begin", "check", ...
const char* name_of(const Request& request) {
  constexpr const char* names[] = {"open",    "begin", "load",    "check",         "sample", "fill",
                                   "recheck", "warm",  "release", "open compiler", "compile"};
  static_assert(std::size(names) == std::variant_size_v<Request>);
  return names[request.index()];
}

class ScriptedTransport final : public Transport {
 public:
  Heard ask(const Request& request, double seconds) override {
    if (!worker_) start();
    seen.emplace_back(name_of(request));
    deadline = seconds;
    if (const auto* load = std::get_if<LoadTrial>(&request)) attempt = load->launch.attempt;
    const Heard::End end = ends ? ends(seen.back(), started_) : Heard::End::replied;
    if (end != Heard::End::replied) {
      worker_.reset();
      return {end, {}, "as the test says"};
    }
    Heard heard = worker_->ask(request, seconds);
    if (change) change(heard.reply);
    return heard;
  }
  void restart() override { worker_.reset(); }
  int started() const noexcept override { return started_; }

  // How a request ends, in the n-th worker; what its answer becomes.
  std::function<Heard::End(const std::string& request, int worker)> ends;
  std::function<void(Reply&)> change;
  std::vector<std::string> seen;
  double deadline = 0;
  int attempt = 0;

 private:
  void start() {
    device_ = make_replay_device(bowl());
    worker_ = std::make_unique<DirectTransport>(*device_);
    ++started_;
  }
  std::unique_ptr<Device> device_;
  std::unique_ptr<DirectTransport> worker_;
  int started_ = 0;
};

class TrialWorkerTest : public testing::Test {
 protected:
  TrialWorkerTest() : recording_(bowl()), spec_(replay_kernel(recording_)), device_(make_replay_device(recording_)) {}

  TrialWorker& worker() {
    if (!worker_)
      worker_ = std::make_unique<TrialWorker>(transport_, open_worker(transport_), *device_->compiler(), spec_,
                                              Problem{}, first(), 1);
    return *worker_;
  }
  static Configuration first() { return Configuration{{"TILE", 4}, {"ROWS", 1}, {"ORDER", "rows"}}; }
  static Configuration second() { return Configuration{{"TILE", 8}, {"ROWS", 2}, {"ORDER", "rows"}}; }
  void begin(const Configuration& configuration, int attempt = 1, TrialWorker::Filling beside = {}) {
    const ImageRequest request = image_request(spec_, spec_.launch, Problem{}, &configuration, device_->info());
    worker().begin(configuration, device_->compiler()->compile({&request, 1}).front().image.value(), attempt, beside);
  }
  TrialWorker::Checked check(const Configuration& configuration, int attempt = 1) {
    begin(configuration, attempt);
    return worker().finish_check();
  }
  TrialWorker::Tried try_out(const Configuration& configuration, TrialWorker::Filling after = {}) {
    begin(configuration);
    return worker().finish_trial({3, 0}, after, {});
  }
  // One request of this name ends so, in the first worker.
  void once(const std::string& name, Heard::End end) {
    transport_.ends = [=, done = false](const std::string& request, int) mutable {
      if (done || request != name) return Heard::End::replied;
      done = true;
      return end;
    };
  }

  const Recording recording_;
  const KernelSpec spec_;
  const std::unique_ptr<Device> device_;
  ScriptedTransport transport_;
  std::unique_ptr<TrialWorker> worker_;
};

TEST_F(TrialWorkerTest, ChecksSamplesAndReleases) {
  const TrialWorker::Checked checked = check(first(), 2);
  ASSERT_TRUE(checked.candidate) << checked.status.detail;
  EXPECT_EQ(transport_.attempt, 2);
  EXPECT_GT(worker().sample(*checked.candidate).nanoseconds, 2e6);
  double error = 0;
  EXPECT_TRUE(worker().recheck(*checked.candidate, error).ok());
  EXPECT_TRUE(worker().warm_up(*checked.candidate, 1).ok());
  worker().release(*checked.candidate);
  worker().release(*checked.candidate);
  EXPECT_THAT(transport_.seen, ElementsAre("open", "begin", "load", "check", "sample", "recheck", "warm", "release"));
  EXPECT_EQ(worker().revivals(), 0);
}

TEST_F(TrialWorkerTest, ADeathIsAFaultThatTheNextTrialKnowsNothingOf) {
  worker();
  once("check", Heard::End::died);
  const TrialWorker::Checked died = check(first());
  EXPECT_EQ(died.status.verdict, Verdict::fault);
  EXPECT_TRUE(died.status.sticky);
  EXPECT_FALSE(died.candidate);
  EXPECT_THAT(died.status.detail, HasSubstr("as the test says"));
  EXPECT_TRUE(check(second()).candidate);
  EXPECT_EQ(worker().revivals(), 1);
  EXPECT_EQ(transport_.started(), 2);
}

TEST_F(TrialWorkerTest, ATrialIsAskedForAsAWholeAndThoughtBeside) {
  begin(first(), 3);
  EXPECT_EQ(transport_.seen.back(), "load");
  EXPECT_EQ(transport_.attempt, 3);
  transport_.seen.clear();
  int thought = 0;
  const TrialWorker::Tried tried = worker().finish_trial({3, 0}, {}, [&] { ++thought; });
  EXPECT_TRUE(tried.status.ok()) << tried.status.detail;
  EXPECT_EQ(tried.samples_ns.size(), 3u);
  EXPECT_EQ(thought, 1);
  EXPECT_THAT(transport_.seen, ElementsAre("check", "sample", "release"));
}

TEST_F(TrialWorkerTest, AHopelessFirstSampleIsTheLast) {
  begin(first());
  EXPECT_EQ(worker().finish_trial({3, 1}, {}, {}).samples_ns.size(), 1u);
  begin(first());
  EXPECT_EQ(worker().finish_trial({3, 1e12}, {}, {}).samples_ns.size(), 3u);
}

TEST_F(TrialWorkerTest, WhateverItDiesOfIsTheTrialsAndTheNextKnowsNothingOfIt) {
  int revivals = 0;
  for (const std::string request : {"load", "check", "sample"}) {
    worker();
    once(request, Heard::End::died);
    const TrialWorker::Tried died = try_out(first());
    EXPECT_EQ(died.status.verdict, Verdict::fault) << request;
    EXPECT_TRUE(died.status.sticky);
    const TrialWorker::Tried next = try_out(second());
    EXPECT_TRUE(next.status.ok()) << request << ": " << next.status.detail;
    EXPECT_EQ(next.samples_ns.size(), 3u);
    EXPECT_EQ(worker().revivals(), ++revivals) << request;
  }
}

TEST_F(TrialWorkerTest, ATrialThatFailsIsAskedNoFurtherAndTheWorkerLives) {
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) *sampled = {{Verdict::launch_error, "701", false}, {1e6}};
  };
  const TrialWorker::Tried failed = try_out(first());
  EXPECT_EQ(failed.status.verdict, Verdict::launch_error);
  transport_.change = nullptr;
  EXPECT_TRUE(try_out(second()).status.ok());
  EXPECT_EQ(worker().revivals(), 0);
}

TEST_F(TrialWorkerTest, ADeathOfAReleaseIsNotTheNextTrials) {
  worker().release(check(first()).candidate.value());
  const auto one = check(second()).candidate.value();
  once("release", Heard::End::died);
  worker().release(one);
  begin(first());
  const TrialWorker::Checked checked = worker().finish_check();
  EXPECT_TRUE(checked.candidate) << checked.status.detail;
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, GapsAreFilledWithSamplesOfAnother) {
  const auto one = check(first()).candidate.value();
  const double expected = worker().sample(one).nanoseconds;
  transport_.seen.clear();
  begin(second(), 1, {one, 3});
  const TrialWorker::Tried tried = worker().finish_trial({2, 0}, {one, 3}, {});
  EXPECT_TRUE(tried.status.ok()) << tried.status.detail;
  EXPECT_THAT(transport_.seen, ElementsAre("load", "fill", "check", "sample", "release", "fill"));
  // That of the second gap is heard when something else is wanted.
  std::vector<double> samples = worker().take_filling_samples();
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_NEAR(samples[0], expected, 0.1 * expected);
  EXPECT_TRUE(worker().sample(one).status.ok());
  EXPECT_EQ(worker().take_filling_samples().size(), 1u);
  EXPECT_TRUE(worker().take_filling_samples().empty());
}

TEST_F(TrialWorkerTest, WhoDiesWhileAGapIsFilledIsNotTheTrialAroundIt) {
  const auto one = check(first()).candidate.value();
  once("fill", Heard::End::died);
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {}, {}).status.ok());
  EXPECT_EQ(worker().revivals(), 1);
  // The fresh worker does not know it, and loads it for nobody's sake.
  transport_.seen.clear();
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {one, 3}, {}).status.ok());
  EXPECT_THAT(transport_.seen, ElementsAre("load", "check", "sample", "release"));
  EXPECT_TRUE(worker().take_filling_samples().empty());
  // Nor the trial before or behind it.
  EXPECT_TRUE(worker().sample(one).status.ok());
  once("fill", Heard::End::died);
  EXPECT_TRUE(try_out(second(), {one, 3}).status.ok());
  EXPECT_TRUE(try_out(first()).status.ok());
  EXPECT_EQ(worker().revivals(), 2);
  // A device that is beyond use is known by its number.
  EXPECT_TRUE(worker().sample(one).status.ok());
  transport_.change = [once = false](Reply& reply) mutable {
    auto* const sampled = std::get_if<Sampled>(&reply.answer);
    if (sampled != nullptr && !std::exchange(once, true)) *sampled = {{Verdict::fault, "700", true}, {}};
  };
  begin(second(), 1, {one, 3});
  EXPECT_TRUE(worker().finish_trial({2, 0}, {}, {}).status.ok());
  EXPECT_EQ(worker().revivals(), 3);
}

TEST_F(TrialWorkerTest, WhatWasBegunAndNotFinishedDisturbsNothing) {
  const auto one = check(first()).candidate.value();
  const double expected = worker().sample(one).nanoseconds;
  begin(second());
  EXPECT_NEAR(worker().sample(one).nanoseconds, expected, 0.1 * expected);
  EXPECT_TRUE(worker().finish_check().candidate);
  begin(second());
  EXPECT_TRUE(check(second()).candidate);
  begin(second());
  worker().forget();
  EXPECT_EQ(transport_.seen.back(), "release");
  EXPECT_EQ(worker().revivals(), 0);
  // Nor a fresh worker.
  begin(second(), 1, {one, 2});
  worker().revive();
  EXPECT_NEAR(worker().sample(one).nanoseconds, expected, 0.1 * expected);
  // Nor whoever asks this worker next.
  begin(second());
  worker().release(one);
  worker_.reset();
  EXPECT_TRUE(check(first()).candidate);
  EXPECT_THROW(
      {
        begin(second());
        worker().finish_trial({2, 0}, {}, [] { throw Error("the strategy fails"); });
      },
      Error);
  worker_.reset();
  EXPECT_TRUE(check(first()).candidate);
}

TEST_F(TrialWorkerTest, LatenessIsATimeout) {
  worker();
  once("check", Heard::End::timed_out);
  const TrialWorker::Checked late = check(first());
  EXPECT_EQ(late.status.verdict, Verdict::timeout);
  EXPECT_TRUE(late.status.sticky);
}

TEST_F(TrialWorkerTest, CandidatesAreLoadedIntoAFreshWorkerWhenTheyAreNeeded) {
  const auto one = check(first()).candidate.value(), two = check(second()).candidate.value();
  const double before = worker().sample(one).nanoseconds;
  worker().revive();
  transport_.seen.clear();
  EXPECT_NEAR(worker().sample(one).nanoseconds, before, 0.1 * before);
  EXPECT_TRUE(worker().sample(one).status.ok());
  worker().release(two);  // which the fresh worker does not know
  EXPECT_THAT(transport_.seen, ElementsAre("load", "check", "sample", "sample"));
}

TEST_F(TrialWorkerTest, ADeathWhileItSamplesIsToldAndTheNextSampleIsInAFreshWorker) {
  const auto one = check(first()).candidate.value();
  once("sample", Heard::End::died);
  EXPECT_EQ(worker().sample(one).status.verdict, Verdict::fault);
  EXPECT_TRUE(worker().sample(one).status.ok());
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, AStickyStatusReplacesTheWorkerBeforeTheNextRequest) {
  const auto one = check(first()).candidate.value();
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->status = {Verdict::fault, "700", true};
  };
  EXPECT_TRUE(worker().sample(one).status.sticky);
  transport_.change = nullptr;
  EXPECT_TRUE(check(second()).candidate);
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, TheFirstWorkerMayDieOfTheReferenceOnce) {
  transport_.ends = [](const std::string& request, int number) {
    return request == "begin" && number == 1 ? Heard::End::died : Heard::End::replied;
  };
  EXPECT_TRUE(check(first()).candidate);
}

TEST_F(TrialWorkerTest, AReferenceThatKillsTwoWorkersIsAnError) {
  transport_.ends = [](const std::string& request, int) {
    return request == "begin" ? Heard::End::died : Heard::End::replied;
  };
  EXPECT_THROW(
      try { worker(); } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("two device workers died"));
        throw;
      },
      Error);
}

TEST_F(TrialWorkerTest, FailuresAreThrownAsWhatTheyAre) {
  worker();
  const auto answer_with = [this](Answer answer) { transport_.change = [=](Reply& reply) { reply.answer = answer; }; };
  answer_with(Failure{Failure::Kind::out_of_memory, "x"});
  EXPECT_THROW(check(first()), OutOfMemory);
  answer_with(Failure{Failure::Kind::usage, "x"});
  EXPECT_THROW(check(first()), UsageError);
  answer_with(Failure{Failure::Kind::error, "x"});
  EXPECT_THROW(check(first()), Error);
  answer_with(Done{});  // not what was asked for
  EXPECT_THROW(check(first()), Error);
}

TEST_F(TrialWorkerTest, DeadlinesFollowTheAnchor) {
  check(first());
  EXPECT_GE(transport_.deadline, 60);
  EXPECT_LT(transport_.deadline, 70);
  worker().expect_launch(1e6);  // 50 ms would be too little for any machine
  check(second());
  EXPECT_GE(transport_.deadline, 2);
  EXPECT_LT(transport_.deadline, 10);
  worker().expect_launch(1e9);
  const auto one = check(second()).candidate.value();
  EXPECT_GE(transport_.deadline, 50);
  EXPECT_LT(transport_.deadline, 60);
  worker().warm_up(one, 200'000);
  EXPECT_GE(transport_.deadline, 250);
}

TEST_F(TrialWorkerTest, AUsersLimitStandsWhateverTheAnchorTakes) {
  Deadlines deadlines;
  deadlines.user_seconds = 0.5;
  worker_ = std::make_unique<TrialWorker>(transport_, open_worker(transport_), *device_->compiler(), spec_, Problem{},
                                          first(), 1, deadlines);
  check(first());
  EXPECT_LT(transport_.deadline, 5);
  worker().expect_launch(1e9);
  check(second());
  EXPECT_LT(transport_.deadline, 5);
}

TEST_F(TrialWorkerTest, TheClockGoesOnOverRevivals) {
  check(first());
  const double before = worker().seconds();
  EXPECT_GT(before, 0);
  worker().revive();
  EXPECT_GE(worker().seconds(), before);
  check(second());
  EXPECT_GT(worker().seconds(), before);
}

TEST_F(TrialWorkerTest, AClockThatRunsBackOrAwayIsNotFollowed) {
  const auto one = check(first()).candidate.value();
  const double before = worker().seconds(), busy = worker().busy_seconds();
  constexpr double infinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, infinite, std::numeric_limits<double>::quiet_NaN()}) {
    transport_.change = [=](Reply& reply) { reply.seconds = reply.worked_seconds = wrong; };
    worker().sample(one);
    EXPECT_EQ(worker().seconds(), before) << wrong;
    EXPECT_EQ(worker().busy_seconds(), busy) << wrong;
  }
}

TEST_F(TrialWorkerTest, AWorkerThatLostHalfOfItsMemoryIsReplaced) {
  std::uint64_t free_bytes = 1000;
  transport_.change = [&](Reply& reply) {
    if (auto* outcome = std::get_if<TrialOutcome>(&reply.answer)) outcome->free_bytes = free_bytes;
  };
  check(first());
  free_bytes = 501;
  check(second());
  check(second());
  EXPECT_EQ(worker().revivals(), 0);
  free_bytes = 499;
  check(second());
  free_bytes = 1000;
  check(second());
  EXPECT_EQ(worker().revivals(), 1);
}

TEST_F(TrialWorkerTest, ATimeThatIsNoneIsUnstable) {
  const auto one = check(first()).candidate.value();
  for (const double wrong : {0.0, -1.0, 1e30, std::numeric_limits<double>::quiet_NaN()}) {
    transport_.change = [=](Reply& reply) {
      if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->samples_ns = {wrong};
    };
    EXPECT_EQ(worker().sample(one).status.verdict, Verdict::unstable) << wrong;
  }
  transport_.change = [](Reply& reply) {
    if (auto* sampled = std::get_if<Sampled>(&reply.answer)) sampled->samples_ns.clear();
  };
  EXPECT_EQ(worker().sample(one).status.verdict, Verdict::unstable);
}

}  // namespace
}  // namespace attune
