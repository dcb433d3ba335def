#include "attune/dispatcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "dispatch_fixture.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Property;
using testing::Throws;

using DispatcherTest = DispatchTest;

template <typename E>
auto throws_saying(const char* text) {
  return Throws<E>(Property(&E::what, HasSubstr(text)));
}

TEST_F(DispatcherTest, PlansABuiltInKernelWithoutWisdom) {
  Dispatcher gpu(options());
  gpu.add(builtin::axpy);
  const Plan plan = gpu.plan("axpy", {{"n", 1000}, {"T", "float"}});
  EXPECT_EQ(plan.match().rung, Rung::none);
  EXPECT_THAT(plan.match().why, HasSubstr("no wisdom for axpy on "));
  EXPECT_THAT(plan.match().why, HasSubstr("(try: attune tune axpy --problem \"n=1000 T=float\" --device host)"));
  EXPECT_EQ(plan.problem().text(), "n=1000 T=float");
  const Buffer<float> x(gpu, std::vector<float>(1000, 2.0f)), y(gpu, std::vector<float>(1000, 1.0f));
  plan.launch(nullptr, y, x, 3, 1000);
  gpu.synchronize();
  EXPECT_EQ(y.to_vector(), std::vector<float>(1000, 7.0f));
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(DispatcherTest, AbsentProblemNamesTakeTheirDefaults) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  EXPECT_EQ(gpu.plan("offset", {{"n", 10}}).problem().text(), "n=10 T=int32");
  EXPECT_EQ(gpu.plan("offset", {{"T", "int32"}, {"n", 10}}).problem().text(), "n=10 T=int32");
}

TEST_F(DispatcherTest, WrongRequestsAreUsageErrors) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  EXPECT_THAT([&] { gpu.plan("ofset"); }, throws_saying<UsageError>("unknown kernel `ofset`; did you mean `offset`?"));
  EXPECT_THAT([&] { gpu.plan("transpose"); }, throws_saying<UsageError>("attune/builtin.hpp"));
  EXPECT_THAT([&] { gpu.plan("offset", {{"m", 1}}); }, throws_saying<UsageError>("m"));
  EXPECT_THROW(gpu.plan("offset"), UsageError);
  EXPECT_THROW(gpu.plan("offset", {{"n", 0}}), UsageError);
  EXPECT_THROW(gpu.plan("offset", {{"n", 1}, {"T", "float"}}), UsageError);
  EXPECT_THROW(gpu.match("offset", {{"n", -1}}), UsageError);
}

TEST_F(DispatcherTest, APlanOfAGivenConfigurationIsOfThatOne) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  store(record(gpu.device_info(), {{"n", 200}, {"T", "int32"}}, {{"OFFSET", 1}, {"BLOCK", 32}}));
  const Plan plan = gpu.plan("offset", {{"n", 200}}, {{"BLOCK", 32}, {"OFFSET", 2}});
  EXPECT_EQ(plan.configuration().text(), "OFFSET=2 BLOCK=32");
  EXPECT_EQ(plan.match().rung, Rung::pinned);
  EXPECT_EQ(plan.match().why, "the application chose BLOCK=32 OFFSET=2");
  const Buffer<int> data(gpu, std::vector<int>(200, 7)), count(gpu, 2);
  plan.launch(nullptr, data, count, 200);
  gpu.synchronize();
  EXPECT_EQ(data.to_vector(), std::vector<int>(200, 9));
  EXPECT_EQ(gpu.plan("offset", {{"n", 200}}).configuration().text(), "OFFSET=1 BLOCK=32");  // which the record says
}

TEST_F(DispatcherTest, AGivenConfigurationThatIsNotLegalIsAUsageErrorThatSaysWhy) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  const auto planning = [&](const Configuration& wished) {
    return [&gpu, wished] { gpu.plan("offset", {{"n", 10}}, wished); };
  };
  EXPECT_THAT(planning({{"OFFSET", 3}, {"BLOCK", 32}}), throws_saying<UsageError>("is not legal for n=10 T=int32 on "));
  EXPECT_THAT(planning({{"OFFSET", 3}, {"BLOCK", 32}}), throws_saying<UsageError>("OFFSET != 3 || n >= 100 does not"));
  EXPECT_THAT(planning({{"OFFSET", 1}}), throws_saying<UsageError>("the parameter `BLOCK` has no value"));
  EXPECT_THAT(planning({{"OFFSET", 1}, {"BLOCK", 33}}), throws_saying<UsageError>("does not list BLOCK=33"));
  EXPECT_THAT(planning({{"OFFSET", 1}, {"BLOCK", 32}, {"X", 1}}), throws_saying<UsageError>("no parameter `X`"));
  EXPECT_THAT(planning({{"OFFSET", 13}, {"BLOCK", 32}}), throws_saying<Error>("thirteen brings bad luck"));
}

TEST_F(DispatcherTest, AnotherKernelNeedsAnotherName) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  gpu.add(kernel_of(offset_kernel));  // the same again: two parts of a program may both need it
  std::string text(offset_kernel.text);
  text.replace(text.find("data[i] += OFFSET"), 17, "data[i] -= OFFSET");
  EXPECT_THAT(
      [&] {
        gpu.add(kernel_of({"other.cu", text}));
      },
      throws_saying<UsageError>("other.cu: there is another kernel `offset` already"));
  gpu.add(builtin::reduce);
  gpu.add(builtin::axpy);
  EXPECT_THAT(gpu.kernels(), testing::ElementsAre("axpy", "offset", "reduce"));
}

TEST_F(DispatcherTest, AKernelComesFromAFileToo) {
  const auto file = folder_ / "offset.cu";
  std::ofstream(file) << offset_kernel.text;
  Dispatcher gpu(options());
  gpu.add(kernel_file(file));
  EXPECT_THAT(gpu.match("offset", {{"n", 10}}).why, HasSubstr("attune tune " + file.string()));
  EXPECT_THROW(kernel_file(folder_ / "absent.cu"), Error);
}

TEST_F(DispatcherTest, MatchSaysWhatPlanWouldUse) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  const Match match = gpu.match("offset", {{"n", 10}});
  EXPECT_EQ(match.rung, Rung::none);
  EXPECT_EQ(match.configuration.text(), "OFFSET=1 BLOCK=64");
  EXPECT_EQ(gpu.plan("offset", {{"n", 10}}).match().why, match.why);
}

TEST_F(DispatcherTest, AllThreadsGetTheSamePlan) {
  Dispatcher gpu(options());
  gpu.add(kernel_of(offset_kernel));
  std::vector<std::vector<int>> results(6);
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < results.size(); ++t) {
      threads.emplace_back([&, t] {
        const std::size_t n = t < 3 ? 100 : 200;  // equal requests and different ones at once
        const Buffer<int> data(gpu, std::vector<int>(n, 4)), count(gpu, 2);
        for (int i = 0; i < 3; ++i) gpu.plan("offset", {{"n", n}}).launch(nullptr, data, count, n);
        results[t] = data.to_vector();
      });
    }
  }
  for (std::size_t t = 0; t < results.size(); ++t) EXPECT_EQ(results[t], std::vector<int>(t < 3 ? 100 : 200, 7));
}

TEST_F(DispatcherTest, ADefaultThatDoesNotCompileIsAnErrorWithTheLog) {
  std::string text(offset_kernel.text);
  text.replace(text.find("[1, 2, 3, 13]"), 13, "[13, 1, 2, 3]");
  Dispatcher gpu(options());
  gpu.add(kernel_of({"offset.cu", text}));
  EXPECT_THAT([&] { gpu.plan("offset", {{"n", 10}}); }, throws_saying<Error>("thirteen brings bad luck"));
  EXPECT_THAT([&] { gpu.plan("offset", {{"n", 10}}); }, throws_saying<Error>("OFFSET=13 BLOCK=64"));
}

TEST_F(DispatcherTest, TheEnvironmentChoosesTheDevice) {
  setenv("ATTUNE_DEVICE", "host", 1);
  auto choice = options();
  choice.device = "";
  EXPECT_EQ(Dispatcher(choice).device_info().kind, "host");
  setenv("ATTUNE_DEVICE", "toaster", 1);
  EXPECT_THAT([&] { Dispatcher{choice}; }, throws_saying<UsageError>("toaster"));
  unsetenv("ATTUNE_DEVICE");
}

}  // namespace
}  // namespace attune
