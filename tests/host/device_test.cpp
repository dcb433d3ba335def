// The host device itself: what it is, memory, operations in order, samples, data.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <thread>

#include "device/host/launch_pool.hpp"
#include "device/memory.hpp"
#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;

class HostDevices : public test::HostTest {};

TEST_F(HostDevices, KnowThisMachine) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.kind, "host");
  EXPECT_EQ(info.architecture(), "host");
  EXPECT_FALSE(info.name.empty());
  EXPECT_EQ(info.compute_capability, 0);
  EXPECT_GE(info.multiprocessors, 1);
  EXPECT_GT(info.memory_bytes, 64u << 20);
  EXPECT_GT(info.l2_bytes, 100'000u);
  EXPECT_EQ(info.shared_static_limit, 49152u);
  EXPECT_EQ(info.shared_per_block, 232448u);
  EXPECT_EQ(info.max_threads_per_block, 1024);
}

TEST_F(HostDevices, TakeTheNumberOfThreadsFromTheEnvironment) {
  setenv("ATTUNE_HOST_THREADS", "3", 1);
  EXPECT_EQ(host_thread_count(), 3);
  EXPECT_EQ(open_host_device()->info().multiprocessors, 3);
  for (const char* wrong : {"0", "-1", "many", "2x", "100000"}) {
    setenv("ATTUNE_HOST_THREADS", wrong, 1);
    EXPECT_THROW(host_thread_count(), UsageError) << wrong;
  }
  unsetenv("ATTUNE_HOST_THREADS");
}

TEST_F(HostDevices, GiveTheSameResultsWithAnyNumberOfThreads) {
  for (const char* count : {"1", "2", "7"}) {
    setenv("ATTUNE_HOST_THREADS", count, 1);
    const auto own = open_host_device();
    unsetenv("ATTUNE_HOST_THREADS");
    const ImageRequest wanted = request(
        "__global__ void run(int* out) { __shared__ int s; if (threadIdx.x == 0) s = 0; __syncthreads(); atomicAdd(&s, "
        "1); __syncthreads(); if (threadIdx.x == 0) out[blockIdx.x] = s; }",
        {"run"});
    const CompileOutcome outcome = own->compiler()->compile({&wanted, 1})[0];
    ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    LoadOutcome loaded = own->load(*outcome.image);
    ASSERT_TRUE(loaded.status.ok());
    Array<int> out(*own, 1000);
    Status status;
    Operation operation;
    operation.shape = shape(1000, 96);
    operation.function = loaded.module->function("run", operation.shape, status);
    void* parameters[] = {out.parameter()};
    operation.parameters = parameters;
    EXPECT_TRUE(own->enqueue(operation, nullptr).ok());
    EXPECT_THAT(out.values(), Each(96));
  }
}

TEST_F(HostDevices, AllocateAlignedMemoryAndKnowWhatIsLeft) {
  const std::uint64_t before = device().free_memory();
  EXPECT_LE(before, device().info().memory_bytes);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20}) {
    void* const memory = device().allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
    device().free(memory);
  }
  device().free(nullptr);
}

TEST_F(HostDevices, RefuseMoreMemoryThanThereIs) {
  EXPECT_THROW(device().allocate(std::numeric_limits<std::size_t>::max()), OutOfMemory);
  EXPECT_THROW(device().allocate(device().info().memory_bytes + 1), OutOfMemory);
  try {
    device().allocate(std::size_t{1} << 50);
    FAIL();
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("1125899906842624 bytes"));
  }
}

TEST_F(HostDevices, DoOperationsInOrder) {
  const std::shared_ptr<Module> module = load(
      "__global__ void add(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }",
      {"add"});
  Array<int> a(device(), 100), b(device(), 100, 1);
  Status status;
  int n = 100;
  std::vector<void*> parameters{b.parameter(), &n};
  Operation copy, fill, launch_add;
  fill.kind = Operation::Kind::memset;
  fill.target = a.data();
  fill.bytes = 50 * sizeof(int);
  fill.value = 0xFF;
  copy.kind = Operation::Kind::copy;
  copy.target = b.data();
  copy.source = a.data();
  copy.bytes = 100 * sizeof(int);
  launch_add.shape = shape(4, 32);
  launch_add.function = module->function("add", launch_add.shape, status);
  launch_add.parameters = parameters.data();
  for (const Operation& operation : {fill, copy, launch_add})
    ASSERT_TRUE(device().enqueue(operation, device().make_stream()).ok());
  EXPECT_TRUE(device().synchronize(nullptr).ok());
  EXPECT_EQ(b[10], 9);
  EXPECT_EQ(b[60], 60);
}

TEST_F(HostDevices, RefuseLaunchesThatCannotBe) {
  const std::shared_ptr<Module> module = load("__global__ void run() {}", {"run"});
  Status status;
  Operation operation;
  EXPECT_EQ(device().enqueue(operation, nullptr).verdict, Verdict::launch_error);
  operation.function = module->function("run", shape(1, 1), status);
  for (const LaunchShape& bad :
       {shape(0, 1), shape(1, 0), shape(1, 1025), shape(1, 1, 1 << 20), LaunchShape{{1, 65536, 1}, {1, 1, 1}, 0}}) {
    operation.shape = bad;
    const Status refused = device().enqueue(operation, nullptr);
    EXPECT_EQ(refused.verdict, Verdict::launch_error);
    EXPECT_NE(refused.detail, "");
  }
  operation.shape = shape(1, 1);
  EXPECT_TRUE(device().enqueue(operation, nullptr).ok());
}

TEST_F(HostDevices, TimeWhatIsToBeTimedAlone) {
  const std::shared_ptr<Module> module = load(
      "__global__ void busy(long long* out, long long rounds) { long long x = 1; for (long long i = 0; i < rounds; "
      "++i) x = x * 3 + i; out[threadIdx.x] = x; }",
      {"busy"});
  Array<long long> out(device(), 1);
  Status status;
  const auto of_rounds = [&](long long& rounds, std::vector<void*>& parameters) {
    parameters = {out.parameter(), &rounds};
    Operation operation;
    operation.shape = shape(1, 1);
    operation.function = module->function("busy", operation.shape, status);
    operation.parameters = parameters.data();
    return operation;
  };
  long long few = 1, many = 20'000'000;
  std::vector<void*> few_parameters, many_parameters;
  const Operation quick = of_rounds(few, few_parameters), slow = of_rounds(many, many_parameters);
  const auto best_of_three = [&](const Operation& before, const Operation& timed, bool cold) {
    double best = 1e300;
    for (int i = 0; i < 3; ++i) {
      const SingleTime sample = device().sample({&before, 1}, {&timed, 1}, cold);
      EXPECT_TRUE(sample.status.ok());
      EXPECT_GT(sample.nanoseconds, 0);
      best = std::min(best, sample.nanoseconds);
    }
    return best;
  };
  const double slow_time = best_of_three(quick, slow, false);
  EXPECT_GT(slow_time, 5e6);
  EXPECT_LT(best_of_three(slow, quick, false), slow_time / 5);
  EXPECT_LT(best_of_three(slow, quick, true), slow_time / 2);
}

TEST_F(HostDevices, TellOfFaultsInSamples) {
  const std::shared_ptr<Module> module = load("__global__ void run() { __trap(); }", {"run"});
  Status status;
  Operation operation;
  operation.shape = shape(1, 1);
  operation.function = module->function("run", operation.shape, status);
  EXPECT_EQ(device().sample({}, {&operation, 1}, true).status.verdict, Verdict::fault);
  EXPECT_EQ(device().sample({&operation, 1}, {}, false).status.verdict, Verdict::fault);
}

TEST_F(HostDevices, LaunchFromSeveralThreads) {
  const std::shared_ptr<Module> module =
      load("__global__ void run(int* out) { __syncthreads(); atomicAdd(out, __any_sync(~0u, 1)); }", {"run"});
  std::vector<std::thread> threads;
  Array<int> out(device(), 1);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 50; ++k) EXPECT_TRUE(launch(*module, "run", shape(3, 64), {out.parameter()}).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(out[0], 4 * 50 * 3 * 64);
}

TEST_F(HostDevices, FindWritesOutsideGuardedMemory) {
  DeviceMemory memory(device(), 100 * sizeof(int), Guards::of_input);
  memory.arm_guards();
  const std::string kernel = "__global__ void run(int* x, int at) { x[at] = 1; }";
  const std::shared_ptr<Module> module = load(kernel, {"run"});
  long long offset = 0;
  void* data = memory.data();
  for (const auto& [at, expected] : {std::pair(99, 0LL), {100, 400LL}, {-3, -12LL}}) {
    int place = at;
    memory.arm_guards();
    ASSERT_TRUE(launch(*module, "run", shape(1, 1), {&data, &place}).ok());
    const bool intact = memory.guards_intact(offset);
    EXPECT_EQ(intact, at == 99);
    if (!intact) {
      EXPECT_EQ(offset, expected);
    }
  }
}

Fill fill_of(FillKind kind, double a = 0, double b = 0) {
  Fill fill;
  fill.kind = kind;
  fill.a = a;
  fill.b = b;
  fill.integer_a = static_cast<std::int64_t>(a);
  fill.integer_b = static_cast<std::int64_t>(b);
  return fill;
}

TEST_F(HostDevices, MakeUniformData) {
  Array<float> floats(device(), 10000);
  device().generate(floats.data(), "float", 10000, fill_of(FillKind::uniform, -1, 1), 42);
  const auto values = floats.values();
  double sum = 0;
  for (const float value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LE(value, 1);
    sum += value;
  }
  EXPECT_NEAR(sum / 10000, 0, 0.03);
  EXPECT_GT(std::set<float>(values.begin(), values.end()).size(), 9000u);
  Array<int> ints(device(), 10000);
  device().generate(ints.data(), "int32", 10000, fill_of(FillKind::uniform, -2, 3), 42);
  const auto whole = ints.values();
  EXPECT_THAT(std::set<int>(whole.begin(), whole.end()), ElementsAre(-2, -1, 0, 1, 2, 3));
  for (int value = -2; value <= 3; ++value)
    EXPECT_NEAR(std::count(whole.begin(), whole.end(), value), 10000 / 6.0, 200);
}

TEST_F(HostDevices, MakeNormalConstantAndCountedData) {
  Array<double> out(device(), 20000);
  device().generate(out.data(), "double", 20000, fill_of(FillKind::normal, 5, 2), 1);
  double sum = 0, squares = 0;
  for (const double value : out.values()) {
    sum += value;
    squares += (value - 5) * (value - 5);
  }
  EXPECT_NEAR(sum / 20000, 5, 0.06);
  EXPECT_NEAR(std::sqrt(squares / 20000), 2, 0.06);
  device().generate(out.data(), "double", 20000, fill_of(FillKind::constant, 2.5), 1);
  EXPECT_THAT(out.values(), Each(2.5));
  device().generate(out.data(), "double", 20000, fill_of(FillKind::iota), 1);
  EXPECT_EQ(out[12345], 12345);
}

TEST_F(HostDevices, MakePermutations) {
  for (const std::uint64_t count : {1u, 2u, 3u, 16u, 17u, 1000u, 4097u}) {
    Array<unsigned> out(device(), count);
    device().generate(out.data(), "uint32", count, fill_of(FillKind::permutation), 9);
    auto values = out.values();
    if (count > 100) {
      EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
    }
    std::sort(values.begin(), values.end());
    for (unsigned i = 0; i < count; ++i) ASSERT_EQ(values[i], i);
  }
}

TEST_F(HostDevices, MakeOtherDataForOtherSeedsAndTheSameForTheSame) {
  Array<std::uint64_t> a(device(), 100), b(device(), 100), c(device(), 100);
  Fill all;
  all.full_range = true;
  device().generate(a.data(), "uint64", 100, all, 1);
  device().generate(b.data(), "uint64", 100, all, 1);
  device().generate(c.data(), "uint64", 100, all, 2);
  EXPECT_EQ(a.values(), b.values());
  EXPECT_NE(a.values(), c.values());
  // Stored seeds keep their meaning: a change of these bits is a change of every session's data.
  EXPECT_EQ(a[0], 6791897765849424158ULL);
  EXPECT_EQ(a[99], 8564285428226242266ULL);
}

TEST_F(HostDevices, MakeEveryElementType) {
  for (const char* type : {"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float",
                           "double", "half", "bfloat16", "float2", "float4", "int2", "int4", "double2"}) {
    Array<unsigned char> made(device(), 64 * 32, 0xEE), again(device(), 64 * 32, 0xEE);
    device().generate(made.data(), type, 64, fill_of(FillKind::uniform, 0, 1), 3);
    device().generate(again.data(), type, 64, fill_of(FillKind::uniform, 0, 1), 3);
    EXPECT_EQ(made.values(), again.values()) << type;
    EXPECT_NE(made.values(), std::vector<unsigned char>(64 * 32, 0xEE)) << type;
    const Comparison comparison = device().compare(made.data(), again.data(), type, 64, {});
    EXPECT_EQ(comparison.mismatches, 0u) << type;
  }
}

TEST_F(HostDevices, CompareWithinTolerances) {
  Array<float> expected(device(), std::vector<float>{1, 2, 100, -4}),
      actual(device(), std::vector<float>{1, 2.5f, 101, -4});
  const auto compare = [&](double absolute, double relative) {
    return device().compare(actual.data(), expected.data(), "float", 4, {absolute, relative, false});
  };
  EXPECT_EQ(compare(0, 0).mismatches, 2u);
  EXPECT_EQ(compare(0, 0).first, 1u);
  EXPECT_EQ(compare(0, 0).actual_at_first, 2.5);
  EXPECT_EQ(compare(0, 0).expected_at_first, 2);
  EXPECT_EQ(compare(0, 0).max_absolute, 1);
  EXPECT_EQ(compare(0, 0).max_relative, 0.25);
  EXPECT_EQ(compare(0, 0).max_ulp, 1u << 21) << "2 and 2.5; 100 and 101 are 1 << 17 apart";
  EXPECT_EQ(compare(1e9, 1e9).max_relative, 0.25) << "whatever is tolerated";
  EXPECT_EQ(compare(0.5, 0).mismatches, 1u);
  EXPECT_EQ(compare(0.5, 0).first, 2u);
  EXPECT_EQ(compare(0, 0.01).mismatches, 1u);
  EXPECT_EQ(compare(0.5, 0.01).mismatches, 0u);
}

TEST_F(HostDevices, CompareWhatIsNotFinite) {
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  Array<float> expected(device(), std::vector<float>{inf, nan, 1, -inf, 2}),
      same(device(), std::vector<float>{inf, nan, 1, -inf, 2}),
      other(device(), std::vector<float>{-inf, 1, nan, -inf, 2});
  EXPECT_EQ(device().compare(same.data(), expected.data(), "float", 5, {0, 0, true}).mismatches, 0u);
  EXPECT_EQ(device().compare(other.data(), expected.data(), "float", 5, {1e30, 1e30, true}).mismatches, 3u);
  const Comparison strict = device().compare(same.data(), expected.data(), "float", 5, {1e30, 1e30, false});
  EXPECT_EQ(strict.nonfinite_expected, 3u);
  EXPECT_EQ(strict.mismatches, 3u);
  EXPECT_EQ(strict.max_ulp, 0u);
  const Comparison far = device().compare(other.data(), expected.data(), "float", 5, {0, 0, true});
  EXPECT_TRUE(std::isinf(far.max_absolute) && std::isinf(far.max_relative));
  EXPECT_EQ(far.max_ulp, ~std::uint64_t{0});
}

TEST_F(HostDevices, CompareLargeIntegersExactly) {
  Array<std::int64_t> expected(device(),
                               std::vector<std::int64_t>{(1LL << 62) + 1, std::numeric_limits<std::int64_t>::min()}),
      actual(device(), std::vector<std::int64_t>{(1LL << 62) + 2, std::numeric_limits<std::int64_t>::max()});
  const Comparison exact = device().compare(actual.data(), expected.data(), "int64", 2, {});
  EXPECT_EQ(exact.mismatches, 2u);
  EXPECT_EQ(exact.max_absolute, 18446744073709551615.0);
  EXPECT_EQ(exact.max_ulp, 18446744073709551615u);
  EXPECT_EQ(device().compare(actual.data(), expected.data(), "int64", 2, {1, 0, false}).mismatches, 1u);
}

TEST_F(HostDevices, ComparePoisonedBooleans) {
  Array<unsigned char> poisoned(device(), 4, 0xFF), good(device(), 4, 1);
  EXPECT_EQ(device().compare(poisoned.data(), good.data(), "bool", 4, {}).mismatches, 4u);
}

TEST_F(HostDevices, CountOtherBytes) {
  Array<unsigned char> bytes(device(), 1000, 0xFF);
  std::uint64_t first = 77;
  EXPECT_EQ(device().count_other_bytes(bytes.data(), 1000, 0xFF, first), 0u);
  static_cast<unsigned char*>(bytes.data())[400] = 1;
  static_cast<unsigned char*>(bytes.data())[999] = 2;
  EXPECT_EQ(device().count_other_bytes(bytes.data(), 1000, 0xFF, first), 2u);
  EXPECT_EQ(first, 400u);
}

TEST_F(HostDevices, CountDifferencesBitForBit) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Array<float> a(device(), std::vector<float>{nan, 0, 1, 2}), b(device(), std::vector<float>{nan, 0, 1, 2});
  EXPECT_EQ(device().count_differences(a.data(), b.data(), 16), 0u) << "NaN equals itself here";
  static_cast<float*>(b.data())[1] = -0.0f;
  static_cast<float*>(b.data())[3] = -3.0f;
  EXPECT_EQ(device().count_differences(a.data(), b.data(), 16), 3u) << "bytes: 1 of the zero, 2 of 2 and -3";
  EXPECT_EQ(device().count_differences(a.data(), b.data(), 7), 0u);
  EXPECT_EQ(device().count_differences(nullptr, nullptr, 0), 0u);
}

}  // namespace
}  // namespace attune
