#include "attune/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/host/host_device.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class PlanTest : public DispatchTest {
 protected:
  PlanTest() : gpu_(options()) { gpu_.add(kernel_of(offset_kernel)); }
  // Launches and returns what the kernel counted: launches of this plan so far on the stream (in scratch), and 2 n.
  std::vector<int> count(const Plan& plan) {
    plan.launch(nullptr, data_, count_, 100);
    return count_.to_vector();
  }
  Dispatcher gpu_;
  Buffer<int> data_{gpu_, std::vector<int>(100, 5)};
  Buffer<int> count_{gpu_, std::vector<int>{-1, -1}};
};

TEST_F(PlanTest, RunsEveryStepInOrder) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  EXPECT_EQ(count(plan), (std::vector<int>{1, 200}));  // memset, zeroed scratch, computed scalar
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 6));
}

TEST_F(PlanTest, AllOfOneProblemShareTheScratchOfAStream) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  count(plan);
  Plan copy = plan;
  EXPECT_EQ(count(copy)[0], 2);
  EXPECT_EQ(count(plan)[0], 3);
  copy = gpu_.plan("offset", {{"n", 50}});
  copy = plan;
  EXPECT_EQ(count(copy)[0], 4);
  EXPECT_EQ(count(gpu_.plan("offset", {{"n", 100}}))[0], 5);
}

TEST_F(PlanTest, OutlivesWhatItWasMovedFrom) {
  Plan plan = gpu_.plan("offset", {{"n", 100}});
  count(plan);
  Plan moved = std::move(plan);
  EXPECT_EQ(count(moved)[0], 2);
  Plan other = gpu_.plan("offset", {{"n", 50}});
  other = std::move(moved);
  EXPECT_EQ(count(other)[0], 3);
  EXPECT_EQ(other.problem().at("n"), Value(100));
}

TEST_F(PlanTest, AWrongArgumentReachesNoDevice) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  const Buffer<float> other(gpu_, 100);
  const Buffer<int> small(gpu_, 99);
  EXPECT_THROW(plan.launch(nullptr, data_, count_), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 100, 200), UsageError);
  EXPECT_THROW(plan.launch(nullptr, other, count_, 100), UsageError);
  EXPECT_THROW(plan.launch(nullptr, small, count_, 100), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 101), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 100.0), UsageError);
  EXPECT_THROW(plan.launch(nullptr, 100, count_, data_), UsageError);
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 5));
  EXPECT_EQ(count_.to_vector(), (std::vector<int>{-1, -1}));
  EXPECT_EQ(count(plan)[0], 1);  // and the plan is still good
}

TEST_F(PlanTest, RunsOnAStream) {
  const Stream stream(gpu_);
  gpu_.plan("offset", {{"n", 100}}).launch(stream, data_, count_, 100);
  stream.synchronize();
  EXPECT_EQ(data_.to_vector(stream), std::vector<int>(100, 6));
}

// It has no scratch memory, map, variable or array by value. Its arguments go to the device as they are passed, but for
// what is converted.
constexpr EmbeddedFile mixed_kernel{"mixed.cu", R"cu(/*attune
[kernel]
name = "mixed"
[problem]
n = "size"
[parameters]
BLOCK = [32]
[[launch]]
memset = "out"
value = 0
[[launch]]
entry = "mixed<BLOCK>"
grid = ["1"]
block = ["BLOCK"]
arguments = ["thrice", "narrow", "n", "factor", "out", "wide", "twice"]
[[launch]]
entry = "add_one"
grid = ["1"]
block = ["1"]
arguments = ["out"]
[arguments]
out = { type = "double", size = "8", role = "out" }
factor = { type = "float", fill = "2" }
narrow = { type = "int8", fill = "1" }
n = { type = "int32" }
twice = { type = "int64", value = "2 * n" }
thrice = { type = "int64", value = "3 * n" }
wide = { type = "double", fill = "1" }
*/
template <int BLOCK>
__global__ void mixed(long long thrice, signed char narrow, int n, float factor, double* out, double wide,
                      long long twice) {
  if (threadIdx.x != 0) return;
  out[0] += twice; out[1] += narrow; out[2] += n; out[3] += factor; out[5] += wide;
  out[7] += thrice;
}
__global__ void add_one(double* out) { out[6] += 1; }
)cu"};

TEST_F(PlanTest, ConvertsOnTheWayWhatDoesNotFitAsItIs) {
  gpu_.add(kernel_of(mixed_kernel));
  const Plan plan = gpu_.plan("mixed", {{"n", 7}});
  Buffer<double> out(gpu_, std::vector<double>(8, 100));
  plan.launch(nullptr, out, 0.1, -5, std::int64_t{7}, 2);
  EXPECT_EQ(out.to_vector(), (std::vector<double>{14, -5, 7, static_cast<double>(0.1f), 0, 2, 1, 21}));
  EXPECT_THAT(message_of<UsageError>([&] { plan.launch(nullptr, out, 0.1, -129, 7, 2.0); }),
              HasSubstr("argument 3, `narrow`, is of type int8, which the integer -129 does not fit"));
  EXPECT_THROW(plan.launch(nullptr, out, 1e300, 0, 7, 2.0), UsageError);
  EXPECT_THROW(plan.launch(nullptr, out, 0.1, 0, 8, 2.0), UsageError);
  EXPECT_THROW(plan.launch(nullptr, out, 0.1, 0, 7), UsageError);
  EXPECT_EQ(out.to_vector().at(6), 1) << "what is refused launches nothing";
}

// More than a launch has room for on its stack.
TEST_F(PlanTest, PassesAHundredArguments) {
  constexpr int count = 100;
  std::string arguments, parameters, sum, passed = "\"out\"";
  for (int i = 0; i < count; ++i) {
    const std::string name = "a" + std::to_string(i);
    arguments += name + " = { type = \"int32\", fill = \"1\" }\n";
    parameters += ", int " + name;
    sum += " + " + std::to_string(i + 1) + " * " + name;
    passed += ", \"" + name + "\"";
  }
  const std::string text =
      "/*attune\n[kernel]\nname = \"many\"\n[problem]\nn = \"size\"\n[parameters]\nB = [1]\n"
      "[[launch]]\nentry = \"many<B>\"\ngrid = [\"1\"]\nblock = [\"B\"]\narguments = [" +
      passed + "]\n[arguments]\nout = { type = \"int32\", size = \"1\", role = \"out\" }\n" + arguments +
      "*/\ntemplate <int B> __global__ void many(int* out" + parameters + ") { out[0] = 0" + sum + "; }\n";
  gpu_.add(kernel_of(EmbeddedFile{"many.cu", text}));
  const Plan plan = gpu_.plan("many", {{"n", 1}});
  std::vector<PlanArgument> list{plan_argument(count_)};
  for (int i = 0; i < count; ++i) list.push_back(plan_argument(i));
  plan.launch_arguments(nullptr, list);
  int expected = 0;
  for (int i = 0; i < count; ++i) expected += (i + 1) * i;
  EXPECT_EQ(count_.to_vector().at(0), expected);
}

// No kernel file names such a type, so its bytes are given as a computed scalar's.
TEST(PlanParts, PassAnArgumentOf128Bytes) {
  const std::shared_ptr<Device> device = open_host_device();
  ImageRequest request;
  request.source = {"map.cu",
                    "struct alignas(64) Map { unsigned char bytes[128]; };"
                    "__global__ void run(int* out, Map map) { out[threadIdx.x] = map.bytes[threadIdx.x]; }",
                    {}};
  request.expressions = {"run"};
  request.architecture = "host";
  const CompileOutcome compiled = device->compiler()->compile({&request, 1}).front();
  ASSERT_TRUE(compiled.image) << compiled.log;
  std::vector<std::byte> map(128, std::byte{3});
  map.back() = std::byte{5};
  const std::shared_ptr<Module> module = device->load(*compiled.image).module;
  const auto loaded = std::make_shared<LoadedSteps>(
      module, std::vector<StepArgument>{{"out", Role::out, 512, {}}, {"map", Role::scalar, 128, map}});
  ASSERT_TRUE(loaded->add({StepKind::launch, "run", {{1, 1, 1}, {128, 1, 1}, 0}, {0, 1}, 0, 0}).ok());
  KernelSpec spec;
  spec.arguments.resize(2);
  spec.arguments[0].role = Role::out;
  spec.arguments[1].value.emplace("0");
  spec.launch.resize(1);
  spec.launch[0].arguments = {spec.arguments[0].name};
  const std::vector<ResolvedArgument> resolved{{"int32", Role::out, 128, 512, {}}, {"", Role::scalar, 1, 128, {}}};
  const auto context = std::make_shared<PlanContext>(device);
  const auto steps = std::make_shared<PlanSteps>(ArgumentTable(spec, resolved), loaded, context->held);
  const auto parts =
      std::make_shared<PlanParts>(context, std::make_shared<KernelSpec>(spec), PlanCode{module}, Problem(), Match());
  parts->kept_steps = steps;
  std::vector<int> out(128);
  launch_plan(parts, nullptr, std::array{plan_argument(out.data())});
  std::vector<int> expected(128, 3);
  expected.back() = 5;
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace attune
