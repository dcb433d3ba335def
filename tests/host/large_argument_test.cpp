// An argument of 128 bytes, as tensor maps will be, on its way through messages and a device worker's problem.
#include <gtest/gtest.h>

#include "host_test.hpp"
#include "worker/kernel_runner.hpp"
#include "worker/messages/messages.hpp"

namespace attune::test {
namespace {

class LargeArgument : public HostTest {
 protected:
  StepsSetup steps(std::byte value) {
    const CompileOutcome compiled = compile(request(R"cu(
struct alignas(64) Map { unsigned char bytes[128]; };
__global__ void run(int* out, Map map) { out[threadIdx.x] = map.bytes[threadIdx.x]; })cu",
                                                    {"run"}));
    EXPECT_EQ(compiled.verdict, Verdict::ok) << compiled.log;
    std::vector<std::byte> map(128, std::byte{3});
    map.back() = value;
    return {{{StepKind::launch, "run", shape(1, 128), {0, 1}, 0, 0}},
            compiled.image.value(),
            {{"out", Role::out, 512, {}}, {"map", Role::scalar, 128, std::move(map)}}};
  }
};

TEST_F(LargeArgument, ReachesTheKernelOfAWorker) {
  TrialSetup setup;
  setup.arguments.resize(2);
  setup.arguments[0] = {"out", "int32", Role::out, true, true, false, false, 128, 512, {}, {}};
  setup.arguments[1].name = "map";
  setup.reference = steps(std::byte{5});
  const std::optional<Job> begin = decode_job(encode(Job{Begin{setup}}));
  ASSERT_TRUE(begin);
  KernelRunner problem(device(), instruments(), tools(), std::get<Begin>(*begin).setup);
  Numerics numerics;
  ASSERT_TRUE(problem.load({1, "five", 1, steps(std::byte{5})}).ok());
  EXPECT_TRUE(problem.check(1, numerics).ok());
  ASSERT_TRUE(problem.load({2, "six", 1, steps(std::byte{6})}).ok());
  const Status other = problem.check(2, numerics);
  EXPECT_EQ(other.verdict, Verdict::wrong_result);
  EXPECT_THAT(other.detail, testing::HasSubstr("first at [127]: 6, expected 5"));
}

}  // namespace
}  // namespace attune::test
