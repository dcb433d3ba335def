// The steps of a kernel's ladder are tried before all that a strategy proposes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "device/device.hpp"
#include "kernel/problem.hpp"
#include "session/kernel_session.hpp"
#include "spec/kernel_file.hpp"
#include "subject/kernel_warm_start.hpp"

namespace attune {
namespace {

class FirstTrials final : public Observer {
 public:
  void session_started(const SessionStart& given) override { start = given; }
  void trial_done(const Trial& trial, const Progress&) override { trials.push_back(trial.configuration.text()); }
  SessionStart start;
  std::vector<std::string> trials;
};

class LadderFirst : public testing::Test {
 protected:
  LadderFirst() {
    request_.spec = load_kernel("transpose");
    request_.seed = 3;
    request_.compile_threads = 2;
    request_.fresh = true;
    request_.keep_going = true;
    Protocol quick;
    quick.warm_up_ms = 1;
    quick.final_rounds_min = quick.final_rounds_max = 6;
    request_.protocol = quick;
  }
  // The default, then the steps that are legal, each once, in their order.
  std::vector<std::string> expected() const {
    const SearchSpace space = make_space(request_.spec, request_.problem, device_->info());
    std::vector<std::string> texts{default_configuration(request_.spec, request_.problem, device_->info())->text()};
    for (const Ladder& ladder : request_.spec.ladders)
      for (const LadderStep& step : ladder.steps) {
        const Configuration configuration = parse_configuration(request_.spec, step.configuration);
        if (space.contains(configuration) && std::find(texts.begin(), texts.end(), configuration.text()) == texts.end())
          texts.push_back(configuration.text());
      }
    return texts;
  }
  FirstTrials run() {
    request_.problem = parse_problem(request_.spec, "width=70 height=50", "host");
    FirstTrials first;
    const std::atomic<int> stop{0};
    run_session(request_, *device_, store_, nullptr, first, stop);
    return first;
  }
  const std::unique_ptr<Device> device_ = open_device("host");
  WisdomStore store_{":memory:"};
  KernelRequest request_;
};

TEST_F(LadderFirst, OfTransposeWhateverTheStrategyAndTheLimitOfTrials) {
  for (const char* strategy : {"random", "auto", "exhaustive"}) {
    request_.strategy = strategy;
    request_.limits.trials = 4;
    const FirstTrials first = run();
    const std::vector<std::string> steps = expected();
    ASSERT_GE(steps.size(), 6u) << "most steps of transpose are legal on the host device";
    EXPECT_EQ(first.start.ladder_steps, steps.size() - 1);
    ASSERT_EQ(first.trials.size(), 4u);
    EXPECT_EQ(first.trials.front(), steps.front());
    EXPECT_THAT(first.trials, testing::UnorderedElementsAreArray(steps.begin(), steps.begin() + 4)) << strategy;
  }
}

TEST_F(LadderFirst, OfANarrowedSpaceOnlyTheStepsInIt) {
  request_.spec = narrow(request_.spec, "LAYOUT=Layout::padded,Layout::swizzled TILE_X=32");
  request_.problem = parse_problem(request_.spec, "width=70 height=50", "host");
  const SearchSpace space = make_space(request_.spec, request_.problem, device_->info());
  std::vector<std::string> texts;
  for (const Row& row : ladder_rows(request_.spec, space)) texts.push_back(space.configuration(row).text());
  ASSERT_FALSE(texts.empty());
  for (const std::string& text : texts) EXPECT_THAT(text, testing::HasSubstr("TILE_X=32 "));
  EXPECT_THAT(ladder_rows(load_kernel(ATTUNE_TEST_DATA "/kernels/scale.cu"), space), testing::IsEmpty());
}

}  // namespace
}  // namespace attune
