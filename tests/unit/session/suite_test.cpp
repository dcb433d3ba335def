// Suites on a recording: its times are those of each problem, so that all happens in virtual time.
#include "session/suite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "session/session_terms.hpp"
#include "subject/kernel_subject.hpp"
#include "support/bowl.hpp"
#include "support/made_record.hpp"
#include "support/replay_pool.hpp"

namespace attune {
namespace {

constexpr const char* best_of_suites = "TILE=32 ROWS=4 ORDER=rows";

// What happens in each slice.
class Slices final : public SuiteObserver, private Observer {
 public:
  Observer& session(std::size_t problem) override {
    order.push_back(problem);
    first.emplace_back();
    return *this;
  }
  void problem_done(std::size_t problem, const SessionResult&) override { done.insert(problem); }
  std::vector<std::size_t> order;               // of slices
  std::vector<std::vector<std::string>> first;  // the trials of each slice
  std::set<std::size_t> done;
  std::function<void(std::size_t)> on_trial;  // with the number of trials of all slices
  std::size_t trials = 0;

 private:
  void trial_done(const Trial& trial, const Progress& progress) override {
    if (!progress.from_log) first.back().push_back(trial.configuration.text());
    ++trials;
    if (on_trial) on_trial(trials);
  }
};

class Suites : public testing::Test {
 protected:
  Suites() : recording_(bowl()), on_(recording_) {
    spec_ = replay_kernel(recording_);
    spec_.problem.push_back({"n", ProblemKind::size, {}, {}, {}});
    request_.strategy = "random";
    request_.effort = Effort::measure;
    request_.seed = 7;
    request_.compile_threads = 1;
    for (std::int64_t n = 1; n <= 3; ++n) subjects_.push_back(subject(n));
  }
  std::unique_ptr<KernelSubject> subject(std::int64_t n) {
    Problem problem;
    problem.set("n", n);
    return std::make_unique<KernelSubject>(spec_, problem, on_.pool.device().info);
  }
  SuiteResult run() {
    seen_ = Slices();
    return run_with(seen_);
  }
  SuiteResult run_with(Slices& slices) {
    std::vector<const Subject*> list;
    for (const auto& one : subjects_) list.push_back(one.get());
    const SuiteBench bench{on_.pool, store_};
    return run_suite(request_, list, {&bench, 1}, nullptr, slices, stop_);
  }
  SessionRow session_of(std::size_t problem) {
    return store_.find_session(session_key(request_, *subjects_[problem], on_.pool.device().info)).value();
  }

  const Recording recording_;
  ReplayPool on_;
  WisdomStore store_{":memory:"};
  std::atomic<int> stop_{0};
  KernelSpec spec_;
  SessionRequest request_;
  std::vector<std::unique_ptr<KernelSubject>> subjects_;
  Slices seen_;
};

TEST_F(Suites, EachProblemHasASessionARecordAndFinalistsOfItsOwn) {
  const SuiteResult result = run();
  ASSERT_EQ(result.problems.size(), 3u);
  EXPECT_FALSE(result.interrupted);
  for (std::size_t i = 0; i < 3; ++i) {
    const SessionResult& one = result.problems[i];
    ASSERT_TRUE(one.record) << one.explanation;
    EXPECT_EQ(one.record->key.problem, subjects_[i]->problem());
    EXPECT_EQ(one.record->configuration.text(), best_of_suites);
    EXPECT_FALSE(one.record->partial);
    EXPECT_GT(one.record->rounds, 0);
    EXPECT_GT(one.finalists.size(), 1u);
    EXPECT_EQ(session_of(i).state, SessionState::finished);
    EXPECT_EQ(static_cast<std::int64_t>(store_.trials(session_of(i).id).size()), session_of(i).trials);
  }
  EXPECT_EQ(seen_.done.size(), 3u);
}

TEST_F(Suites, TimeIsLimitedForTheWhole) {
  request_.limits.seconds = 20;
  const SuiteResult result = run();
  double used = 0;
  for (std::size_t i = 0; i < 3; ++i) used += session_of(i).used_seconds;
  EXPECT_GT(used, 18);
  EXPECT_LT(used, 30) << "the last trials of slices, and the winners of others";
  for (const SessionResult& one : result.problems) EXPECT_EQ(one.end, Ending::time);
}

TEST_F(Suites, WhenTheEffortIsSpentTheSameComparesWhatItHas) {
  request_.limits.trials = 12;
  run();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(session_of(i).state, SessionState::partial);
    store_.update_session(session_of(i).id, SessionState::partial, 41);
  }
  request_.limits = {};
  const SuiteResult result = run();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.problems[i].reason, Ending::effort_spent);
    EXPECT_FALSE(result.problems[i].record->partial);
    EXPECT_EQ(session_of(i).state, SessionState::finished);
  }
  EXPECT_LT(result.problems[0].run_trials, 8) << "those that win for others";
}

TEST_F(Suites, ImagesAreCompiledOnceForAllProblems) {
  request_.effort = Effort::exhaustive;
  request_.strategy = "";
  const SuiteResult result = run();
  EXPECT_EQ(result.problems[2].trials, 42);
  EXPECT_LE(result.compiled, 42 + 1) << "the default, which makes the expected results, may be compiled twice";
  EXPECT_EQ(result.problems[2].reason, Ending::everything_tried);
}

TEST_F(Suites, WhatLeadsOneProblemIsTriedFirstForTheNext) {
  request_.limits.trials = 60;
  request_.seed = 1;  // with which the best of the first slice is not its second trial
  run();
  ASSERT_GE(seen_.order.size(), 2u);
  EXPECT_EQ(seen_.order[0], 0u);
  EXPECT_EQ(seen_.order[1], 1u);
  // The default comes first, then what led the problem before.
  std::string leading;
  double best = 0;
  for (const Trial& trial : store_.trials(session_of(0).id)) {
    const auto at = std::find(seen_.first[0].begin(), seen_.first[0].end(), trial.configuration.text());
    if (at == seen_.first[0].end() || trial.verdict != Verdict::ok) continue;
    const double score = trial.measurement.median_ns / trial.anchor_ns;
    if (best > 0 && score >= best) continue;
    best = score;
    leading = trial.configuration.text();
  }
  ASSERT_GE(seen_.first[1].size(), 2u);
  ASSERT_NE(seen_.first[0][1], leading) << "so that it is not the strategy's own";
  EXPECT_EQ(seen_.first[1][1], leading);
}

TEST_F(Suites, EveryWinnerIsTriedForEveryProblem) {
  request_.limits.trials = 6;  // too few to agree
  const SuiteResult result = run();
  for (std::size_t i = 0; i < 3; ++i) {
    std::set<std::string> tried;
    for (const Trial& trial : store_.trials(session_of(i).id)) tried.insert(trial.configuration.text());
    for (const SessionResult& other : result.problems) {
      ASSERT_TRUE(other.record);
      EXPECT_TRUE(tried.contains(other.record->configuration.text())) << "problem " << i;
    }
    EXPECT_TRUE(result.problems[i].record->partial) << "a limit of the user's cut it short";
  }
}

// The last problem's record wins its final stage without having led its search.
TEST_F(Suites, AWinnerThatLedNoSearchIsTriedForTheOthersAndWinsThere) {
  Record known = made_record(spec_, on_.pool.device().info, subjects_[2]->problem(),
                             parse_configuration(spec_, best_of_suites), "replay");
  known.partial = true;
  store_.put_record(known);
  request_.cold_start = true;
  request_.limits.trials = 6;
  const SuiteResult result = run();
  std::size_t searched = 0;
  for (std::size_t i = 0; i < 3; ++i)
    searched += std::count(seen_.first[i].begin(), seen_.first[i].end(), best_of_suites);
  ASSERT_EQ(searched, 0u) << "the search found it itself";
  for (const SessionResult& one : result.problems) EXPECT_EQ(one.record->configuration.text(), best_of_suites);
}

TEST_F(Suites, TrialsAreLimitedForTheWhole) {
  request_.limits.trials = 12;
  run();
  std::size_t searched = 0;  // before the stages, which try what leads elsewhere
  for (std::size_t i = 0, slices = seen_.order.size(); i < slices && searched < 12; ++i)
    searched += seen_.first[i].size();
  EXPECT_EQ(searched, 12u);
  std::map<std::size_t, std::size_t> by_problem;
  for (std::size_t i = 0; i < 3; ++i) by_problem[i] = store_.trials(session_of(i).id).size();
  for (const auto& [problem, trials] : by_problem) EXPECT_GE(trials, 2u) << problem;
}

TEST_F(Suites, TheSameAgainMeasuresNothing) {
  run();
  const SuiteResult again = run();
  EXPECT_EQ(again.known, 3u);
  EXPECT_TRUE(seen_.order.empty());
  EXPECT_EQ(again.problems[1].end, Ending::known);
  EXPECT_TRUE(again.problems[1].record);
}

TEST_F(Suites, AnInterruptKeepsTheBestOfEachAndTheSameGoesOn) {
  Slices stopped;
  stopped.on_trial = [this](std::size_t trials) {
    if (trials == 70) stop_ = 1;  // in the slice of the third problem
  };
  const SuiteResult cut = run_with(stopped);
  EXPECT_TRUE(cut.interrupted);
  std::vector<std::int64_t> before;
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(cut.problems[i].record) << i << cut.problems[i].explanation;
    EXPECT_EQ(cut.problems[i].end, Ending::interrupted);
    EXPECT_TRUE(cut.problems[i].record->partial);
    EXPECT_EQ(session_of(i).state, SessionState::partial);
    before.push_back(session_of(i).id);
  }
  stop_ = 0;
  const SuiteResult result = run();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(session_of(i).id, before[i]) << "the session goes on";
    EXPECT_EQ(session_of(i).state, SessionState::finished);
    EXPECT_EQ(result.problems[i].record->configuration.text(), best_of_suites);
    EXPECT_FALSE(result.problems[i].record->partial);
  }
}

// A problem whose data cannot be made.
class TooLarge final : public KernelSubject {
 public:
  using KernelSubject::KernelSubject;
  TrialSetup setup(const Configuration&, const CompileOne&, std::uint64_t) const override {
    throw Error("no room for its data");
  }
};

TEST_F(Suites, AProblemThatFailsLeavesTheOthers) {
  Problem large;
  large.set("n", std::int64_t{9});
  subjects_.push_back(std::make_unique<TooLarge>(spec_, large, on_.pool.device().info));
  const SuiteResult result = run();
  EXPECT_EQ(result.problems[3].end, Ending::no_survivor);
  EXPECT_EQ(result.problems[3].explanation, "no room for its data");
  EXPECT_EQ(seen_.done.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(result.problems[i].record);
}

}  // namespace
}  // namespace attune
