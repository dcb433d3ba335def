// Images, entries, and launches: those that run, and those that are refused.
#include <numeric>

#include "device_contract/contract_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::launch_of;
using test::shape;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* source = R"(
struct Pair { char a; double b; };
template <typename T> __global__ void sum(T* out, char c, const Pair pair, long long big) { *out = c + pair.a + pair.b + big; }
__global__ void where(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(&out[block * blockDim.x * blockDim.y * blockDim.z + thread], block * 1000 + thread + 1);
}
__global__ void blocks(unsigned long long* out) { atomicAdd(out, (unsigned long long)blockIdx.x); }
__global__ void reverse(int* x, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}
__global__ void with_static(int* out) { __shared__ int tile[1024]; tile[threadIdx.x] = 1; __syncthreads(); *out = tile[*out]; }
)";

class LaunchContract : public test::ContractTest {
 protected:
  Module& module() {
    if (module_ == nullptr) module_ = load(source, {"blocks", "reverse", "sum<double>", "where", "with_static"});
    if (module_ == nullptr) throw Error("the kernels of this test do not compile");
    return *module_;
  }
  // Returns why an entry cannot be launched in this shape.
  Status refusal(const std::string& expression, const LaunchShape& shape) {
    Status status;
    EXPECT_EQ(module().function(expression, shape, status), nullptr);
    EXPECT_FALSE(status.sticky);
    return status;
  }

  std::shared_ptr<Module> module_;
};

TEST_F(LaunchContract, TakesScalarsStructsAndPointersAsArguments) {
  struct Pair {
    char a;
    double b;
  };
  Array<double> out(device(), 1);
  char c = 5;
  Pair pair{7, 0.25};
  long long big = 1LL << 40;
  const Status status = launch(module(), "sum<double>", shape(1, 1), {out.parameter(), &c, &pair, &big});
  ASSERT_TRUE(status.ok()) << status.detail;
  EXPECT_EQ(out[0], 12.25 + static_cast<double>(1LL << 40));
}

TEST_F(LaunchContract, UsesAllThreeDimensionsOfGridAndBlock) {
  Array<int> out(device(), 60 * 84);
  ASSERT_TRUE(launch(module(), "where", {{3, 4, 5}, {6, 7, 2}, 0}, {out.parameter()}).ok());
  const std::vector<int> seen = out.values();
  for (int block = 0; block < 60; ++block)
    for (int thread = 0; thread < 84; ++thread) ASSERT_EQ(seen[block * 84 + thread], block * 1000 + thread + 1);
}

TEST_F(LaunchContract, RunsMoreBlocksThanTheSecondDimensionAllows) {
  Array<unsigned long long> out(device(), 1);
  ASSERT_TRUE(launch(module(), "blocks", shape(200'003, 1), {out.parameter()}).ok());
  EXPECT_EQ(out[0], 200'003ULL * 200'002 / 2);
}

TEST_F(LaunchContract, OffersAllTheSharedMemoryOfABlock) {
  const std::uint64_t bytes = device().info().shared_per_block;
  int n = static_cast<int>(bytes / sizeof(int));
  std::vector<int> numbers(static_cast<std::size_t>(n));
  std::iota(numbers.begin(), numbers.end(), 0);
  Array<int> x(device(), numbers);
  ASSERT_TRUE(launch(module(), "reverse", shape(1, 256, bytes), {x.parameter(), &n}).ok());
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(x.values(), numbers);
  function(module(), "reverse", shape(1, 256, 50000));  // a smaller request takes nothing away
  EXPECT_TRUE(launch(module(), "reverse", shape(1, 256, bytes), {x.parameter(), &n}).ok());
}

TEST_F(LaunchContract, RefusesMoreSharedMemoryThanABlockHasStaticIncluded) {
  const std::uint64_t all = device().info().shared_per_block;
  for (const Status& status :
       {refusal("reverse", shape(1, 32, all + 4)), refusal("with_static", shape(1, 32, all - 4095))}) {
    EXPECT_EQ(status.verdict, Verdict::resources);
    EXPECT_THAT(status.detail, HasSubstr(std::to_string(all)));
  }
  EXPECT_NE(function(module(), "with_static", shape(1, 32, all - 4096)), nullptr);
}

TEST_F(LaunchContract, RefusesMoreThreadsThanABlockHas) {
  EXPECT_EQ(refusal("where", shape(1, 1025)).verdict, Verdict::resources);
  EXPECT_EQ(refusal("where", {{1, 1, 1}, {32, 32, 2}, 0}).verdict, Verdict::resources);
}

TEST_F(LaunchContract, ARefusedLaunchLeavesTheDeviceUsable) {
  Array<int> out(device(), 1024);
  std::vector<void*> parameters{out.parameter()};
  Operation operation = launch_of(function(module(), "where", shape(1, 32)), shape(1, 32), parameters);
  for (const LaunchShape& bad : {shape(0, 1), shape(1, 0), shape(1, 1025), shape(1, 1, 1 << 20),
                                 LaunchShape{{1, 65536, 1}, {1, 1, 1}, 0}, LaunchShape{{1, 1, 1}, {1, 1, 1025}, 0}}) {
    operation.shape = bad;
    const Status status = device().enqueue(operation, nullptr);
    EXPECT_TRUE(status.verdict == Verdict::launch_error || status.verdict == Verdict::resources) << status.detail;
    EXPECT_FALSE(status.sticky);
    EXPECT_NE(status.detail, "");
    EXPECT_FALSE(instruments().sample({}, {&operation, 1}, true).status.ok());
  }
  EXPECT_TRUE(launch(module(), "where", shape(1, 32), {out.parameter()}).ok());
  EXPECT_EQ(out[31], 32);
}

TEST_F(LaunchContract, SaysWhichEntryAnImageLacks) {
  const Status status = refusal("sum<short>", shape(1, 1));
  EXPECT_EQ(status.verdict, Verdict::load_error);
  EXPECT_THAT(status.detail, HasSubstr("sum<short>"));
}

TEST_F(LaunchContract, RefusesImagesThatAreEmptyDamagedOrForAnotherArchitecture) {
  const CompileOutcome outcome = compile(request("__global__ void run(int* out) { *out = 1; }", {"run"}));
  ASSERT_TRUE(outcome.image) << outcome.log;
  Image empty = *outcome.image, damaged = *outcome.image, foreign = *outcome.image;
  empty.code = nullptr;
  damaged.code = std::make_shared<const std::vector<std::byte>>(1000, std::byte{7});
  foreign.architecture = is_host() ? "sm_90" : "host";
  if (!is_host()) {
    const std::string other = device().info().compute_capability / 10 == 8 ? "sm_90" : "sm_80";
    ImageRequest wanted = request("__global__ void run(int* out) { *out = 1; }", {"run"});
    wanted.architecture = other;
    foreign = compile(wanted).image.value();
  }
  for (const Image& image : {empty, damaged, foreign}) {
    const LoadOutcome loaded = device().load(image);
    EXPECT_EQ(loaded.status.verdict, Verdict::load_error);
    EXPECT_FALSE(loaded.status.sticky);
    EXPECT_NE(loaded.status.detail, "");
    EXPECT_EQ(loaded.module, nullptr);
  }
}

TEST_F(LaunchContract, EachModuleHasStorageOfItsOwn) {
  const ImageRequest wanted = request(
      "template <typename T> __device__ T* place() { static __device__ T cell = 100; return &cell; }\n"
      "__device__ int counter = 10;\n__global__ void run(int* out) { *out = ++counter + ++*place<int>(); }",
      {"run"});
  const CompileOutcome outcome = compile(wanted);
  ASSERT_TRUE(outcome.image) << outcome.log;
  Array<int> out(device(), 1);
  const auto next = [&](Module& module) {
    EXPECT_TRUE(launch(module, "run", shape(1, 1), {out.parameter()}).ok());
    return out[0];
  };
  auto first = device().load(*outcome.image).module, second = device().load(*outcome.image).module;
  ASSERT_TRUE(first && second);
  EXPECT_EQ(next(*first), 112);
  EXPECT_EQ(next(*first), 114);
  EXPECT_EQ(next(*second), 112);
  EXPECT_EQ(next(*first), 116);
  first.reset();
  EXPECT_EQ(next(*second), 114);
  EXPECT_EQ(next(*device().load(*outcome.image).module), 112) << "loaded again after its module is gone";
}

// tests/host and tests/nvrtc check that a log names the place, and that a failure spares its neighbours.
TEST_F(LaunchContract, InstantiatesEachEntryWithItsNamedConstants) {
  const std::shared_ptr<Module> module =
      load(R"(
enum class Order { rows, diagonal };
namespace inner { template <typename T, int N, Order ORDER, bool B> __global__ void kernel(T* out) { *out = N + (ORDER == Order::diagonal) * 10 + B * 100; } })",
           {"inner::kernel<double, 3, Order::diagonal, true>", "inner::kernel<float, 4, Order::rows, false>"});
  ASSERT_NE(module, nullptr);
  Array<double> doubles(device(), 1);
  Array<float> floats(device(), 1);
  EXPECT_TRUE(
      launch(*module, "inner::kernel<double, 3, Order::diagonal, true>", shape(1, 1), {doubles.parameter()}).ok());
  EXPECT_TRUE(launch(*module, "inner::kernel<float, 4, Order::rows, false>", shape(1, 1), {floats.parameter()}).ok());
  EXPECT_EQ(doubles[0], 113);
  EXPECT_EQ(floats[0], 4);
}

TEST_F(LaunchContract, TakesHeadersAndDefinitionsOfItsRequest) {
  ImageRequest wanted = request(
      "#include \"tools/inner.cuh\"\n#include \"../outer.cuh\"\n__global__ void run(int* out) { *out = inner() + "
      "outer() + TILE + sizeof(ELEMENT); }",
      {"run"});
  wanted.options = {"-DTILE=32", "-DELEMENT=double", "--use_fast_math", "--maxrregcount=32"};
  wanted.source.headers = {
      {"tools/inner.cuh", "#pragma once\n__device__ int inner() { __shared__ int x; x = 3; return x; }\n"},
      {"../outer.cuh", "static __device__ int outer() { return 4; }\n"}};
  const std::shared_ptr<Module> module = load(wanted);
  ASSERT_NE(module, nullptr);
  Array<int> out(device(), 1);
  ASSERT_TRUE(launch(*module, "run", shape(1, 1), {out.parameter()}).ok());
  EXPECT_EQ(out[0], 47);
}

}  // namespace
}  // namespace attune
