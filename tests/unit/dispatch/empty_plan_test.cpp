// Plans for problems with a size of 0, of kernels with `empty = "nothing"`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

std::string with_empty(std::string text, std::string_view name) {
  const std::string line = "name = \"" + std::string(name) + "\"";
  return text.replace(text.find(line), line.size(), line + "\nempty = \"nothing\"");
}

class EmptyPlan : public DispatchTest {
 protected:
  static Bundle offset() {
    static const std::string text = with_empty(std::string(offset_kernel.text), "offset");
    return kernel_of({"offset.cu", text});
  }
  static Problem problem(std::int64_t n) { return {{"n", n}, {"T", "int32"}}; }
  std::string problem_refusal(Dispatcher& gpu, std::int64_t n) const {
    return message_of<UsageError>([&] { gpu.plan("offset", problem(n)); });
  }
};

TEST_F(EmptyPlan, ChecksItsArgumentsAndLaunchesNothing) {
  Dispatcher gpu(options());
  gpu.add(offset());
  const Plan plan = gpu.plan("offset", problem(0));
  const Buffer<int> data(gpu, std::vector<int>{7}), count(gpu, std::vector<int>{8, 9});
  plan.launch(nullptr, data, count, 0);
  plan.launch(nullptr, static_cast<int*>(nullptr), count, 0);
  Plan(plan).launch(nullptr, data, count, 0);
  const ResolvedLaunch resolved = plan.resolve(data, count, 0);
  EXPECT_THAT(resolved.steps(), IsEmpty());
  resolved.launch(nullptr);
  EXPECT_EQ(data.to_vector(), std::vector<int>{7});
  EXPECT_EQ(count.to_vector(), (std::vector<int>{8, 9}));  // which the kernel's memset would clear
  const auto refusal = [&](const auto&... passed) {
    return message_of<UsageError>([&] { plan.launch(nullptr, passed...); });
  };
  EXPECT_THAT(refusal(data, count), HasSubstr("2 arguments were passed, 3 expected"));
  EXPECT_THAT(refusal(data, count, 1), HasSubstr("`n`, is 0 in the plan's problem"));
  EXPECT_THAT(refusal(data, Buffer<int>(gpu, 1), 0), HasSubstr("is an array of 2 int32"));
  EXPECT_THAT(refusal(data, static_cast<int*>(nullptr), 0), HasSubstr("a null pointer was passed"));
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(EmptyPlan, SaysSo) {
  Dispatcher gpu(options());
  gpu.add(offset());
  const Plan plan = gpu.plan("offset", problem(0), Policy::cached_only);
  for (const Match& match : {plan.match(), gpu.match("offset", problem(0)), gpu.match("offset", problem(0))}) {
    EXPECT_THAT(match.why, AllOf(HasSubstr("offset launches nothing for n=0 T=int32 on "), HasSubstr("a size is 0")));
    EXPECT_EQ(match.rung, Rung::exact);
    EXPECT_EQ(match.record_problem, "");
    EXPECT_TRUE(match.configuration.empty());
  }
  const Statistics statistics = gpu.statistics();
  EXPECT_EQ(statistics.compiled, 0u);
  std::array<std::uint64_t, 9> one_exact{};
  one_exact[static_cast<std::size_t>(Rung::exact)] = 1;
  EXPECT_EQ(statistics.plans, one_exact);
}

TEST_F(EmptyPlan, NeedsTheKeyAndASizeThatIsNotNegative) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  EXPECT_THAT(problem_refusal(gpu, 0), HasSubstr("expected a size from 1 to 2**62; if 0 is to launch nothing, write "
                                                 "empty = \"nothing\" in [kernel]"));
  EXPECT_THAT(problem_refusal(gpu, -1), HasSubstr("n=-1: expected a size from 1 to 2**62"));
  Dispatcher with_key(options());
  with_key.add(offset());
  EXPECT_THAT(problem_refusal(with_key, -1), HasSubstr("n=-1: expected a size from 0 to 2**62"));
}

TEST_F(EmptyPlan, OfAKernelThatLooksItsProblemUp) {
  Dispatcher gpu(options());
  gpu.add(offset());
  const Kernel kernel = gpu.kernel("offset");
  const Buffer<int> data(gpu, std::vector<int>{7, 7}), count(gpu, 2);
  for (const std::int64_t n : {0, 2, 0}) kernel.launch(nullptr, {}, data, count, n);
  EXPECT_EQ(data.to_vector(), (std::vector<int>{8, 8}));
  gpu.refresh();
  kernel.launch(nullptr, {}, data, count, std::int64_t{0});
  EXPECT_EQ(data.to_vector(), (std::vector<int>{8, 8}));
}

TEST_F(EmptyPlan, OfABundleAndWithDeterministicOnly) {
  Dispatcher source(options());
  source.add(offset());
  const std::vector<std::byte> bytes = source.bundle();
  DispatcherOptions wished = options();
  wished.database = "";
  wished.deterministic_only = true;
  Dispatcher gpu(Bundle::in_memory(bytes, "a test's"), wished);
  const Buffer<int> data(gpu, std::vector<int>{7}), count(gpu, 2);
  gpu.plan("offset", problem(0)).launch(nullptr, data, count, 0);
  EXPECT_EQ(data.to_vector(), std::vector<int>{7});
}

// Any size may be the 0: here `radius`, of which the length of an array by value depends.
TEST_F(EmptyPlan, HasTheArraysByValueOfItsProblem) {
  Dispatcher gpu(options());
  std::ofstream(folder_ / "smooth.cu") << with_empty(test::smooth_file, "smooth");
  gpu.add(kernel_file(folder_ / "smooth.cu"));
  const Buffer<int> in(gpu, std::vector<int>{1, 2, 3, 4}), out(gpu, std::vector<int>{9, 9, 9, 9});
  const Plan plan = gpu.plan("smooth", {{"n", 4}, {"radius", 0}, {"T", "int32"}});
  plan.launch(nullptr, out, in, std::array<int, 1>{1}, 4);
  EXPECT_EQ(out.to_vector(), (std::vector<int>{9, 9, 9, 9}));
  EXPECT_THAT(message_of<UsageError>([&] { plan.launch(nullptr, out, in, std::array<int, 2>{}, 4); }),
              HasSubstr("is an array of 1 int32 that is passed by value"));
  EXPECT_THAT(
      message_of<Error>([&] {
        gpu.plan("smooth", {{"n", 0}, {"radius", 1 << 20}, {"T", "int32"}});
      }),
      HasSubstr("`weights`, problem n=0 radius=1048576 T=int32: 2097153 elements of int32 are more than 32764"));
}

}  // namespace
}  // namespace attune
