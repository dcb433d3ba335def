// Memory, copies, streams, and guard bands.
#include <limits>
#include <thread>

#include "device/guarded_memory.hpp"
#include "device_contract/contract_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::fill_of_bytes;
using test::launch_of;
using test::shape;
using testing::Each;
using testing::HasSubstr;

class MemoryContract : public test::ContractTest {};

TEST_F(MemoryContract, IsAlignedAndTakenBack) {
  const std::uint64_t before = device().free_memory();
  EXPECT_LE(before, device().info().memory_bytes);
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{257}, std::size_t{1} << 26}) {
    void* const memory = device().allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0u);
    device().free(memory);
  }
  if (!is_host()) {  // all processes of the machine take from the host's memory
    EXPECT_LE(before - device().free_memory(), 64u << 20);
  }
  device().free(nullptr);
}

TEST_F(MemoryContract, MoreThanThereIsIsRefusedWithTheAmount) {
  try {
    device().allocate(std::size_t{1} << 46);
    FAIL() << "64 TiB were given";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr(is_host() ? "70368744177664 bytes" : "65536.00 GiB"));
    EXPECT_THAT(error.what(), HasSubstr(is_host() ? "host device" : device().info().name));
  }
  EXPECT_THROW(device().allocate(device().info().memory_bytes + 1), OutOfMemory);
}

// Kernels, copies and byte fills take mapped memory like any other memory; the host reads and writes it itself.
TEST_F(MemoryContract, MappedMemoryIsOfTheHostAndOfTheDevice) {
  constexpr int n = 1000;
  auto* const mapped = static_cast<int*>(device().allocate_mapped(n * sizeof(int)));
  for (int i = 0; i < n; ++i) mapped[i] = i;
  const std::shared_ptr<Module> module =
      load("__global__ void add(int* x, int n) { int i = threadIdx.x; if (i < n) x[i] += 5; }", {"add"});
  ASSERT_NE(module, nullptr);
  void* address = mapped;
  int count = 100;
  ASSERT_TRUE(launch(*module, "add", shape(1, 128), {&address, &count}).ok());
  EXPECT_EQ(mapped[99], 104);
  EXPECT_EQ(mapped[100], 100);
  Array<int> other(device(), n, 7);
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = mapped + 500;
  copy.source = other.data();
  copy.bytes = 10 * sizeof(int);
  for (const Operation& operation : {fill_of_bytes(mapped, 40, 0xFF), copy})
    ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
  ASSERT_TRUE(device().synchronize(nullptr).ok());
  EXPECT_EQ(mapped[9], -1);
  EXPECT_EQ(mapped[509], 7);
  copy.target = other.data();
  copy.source = mapped;
  ASSERT_TRUE(device().enqueue(copy, nullptr).ok());
  EXPECT_EQ(other[9], -1);
  device().free_mapped(mapped);
  device().free_mapped(nullptr);
}

// Looks up a __device__ array, and a __constant__ array that is a template in a namespace.
TEST_F(MemoryContract, VariablesOfAModuleHaveAddresses) {
  const std::shared_ptr<Module> module = load(
      "namespace a { template <typename T> __constant__ T filter[4]; }\n__device__ int unused[7];\n"
      "__global__ void run(int* x) { x[threadIdx.x] = a::filter<int>[threadIdx.x]; }",
      {"&a::filter<int>", "&unused", "run"});
  ASSERT_NE(module, nullptr);
  Status status;
  EXPECT_EQ(module->variable("&unused", status).bytes, 28u) << status.detail;
  const Variable filter = module->variable("&a::filter<int>", status);
  ASSERT_TRUE(status.ok()) << status.detail;
  ASSERT_EQ(filter.bytes, 16u);
  Array<int> content(device(), std::vector<int>{4, 3, 2, 1}), out(device(), 4);
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = filter.address;
  copy.source = content.data();
  copy.bytes = 16;
  ASSERT_TRUE(device().enqueue(copy, nullptr).ok());
  ASSERT_TRUE(launch(*module, "run", shape(1, 4), {out.parameter()}).ok());
  EXPECT_THAT(out.values(), testing::ElementsAre(4, 3, 2, 1));
  EXPECT_EQ(module->variable("&other", status).address, nullptr);
  EXPECT_EQ(status.verdict, Verdict::load_error);
}

TEST_F(MemoryContract, OperationsOfAStreamAreDoneInOrder) {
  const std::shared_ptr<Module> module = load(
      "__global__ void add(int* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] += i; }",
      {"add"});
  ASSERT_NE(module, nullptr);
  const StreamHandle stream = device().make_stream();
  Array<int> a(device(), 100), b(device(), 100, 1);
  int n = 100;
  std::vector<void*> parameters{b.parameter(), &n};
  Operation copy;
  copy.kind = Operation::Kind::copy;
  copy.target = b.data();
  copy.source = a.data();
  copy.bytes = 99 * sizeof(int);
  const Operation fill = fill_of_bytes(a.data(), 50 * sizeof(int), 0xFF);
  const Operation add = launch_of(function(*module, "add", shape(4, 32)), shape(4, 32), parameters);
  for (const Operation& operation : {fill, copy, add}) ASSERT_TRUE(device().enqueue(operation, stream).ok());
  std::vector<int> host(100);
  device().copy_out(host.data(), b.data(), 100 * sizeof(int), stream);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(host[i], i + (i < 50 ? -1 : i < 99 ? 0 : 1));
  EXPECT_TRUE(device().synchronize(stream).ok());
  device().destroy_stream(stream);
  device().destroy_stream(nullptr);
}

// Enqueues a byte fill of an array. Its parameters are the array's address and the value.
class Filling final : public Routine {
 public:
  Filling(Device& device, std::size_t bytes) : device_(device), bytes_(bytes) {}
  Status enqueue(void* const* parameters, StreamHandle stream) override {
    ++calls;
    if (fails) return {Verdict::launch_error, "out of order", false};
    const Operation fill =
        fill_of_bytes(*static_cast<void* const*>(parameters[0]), bytes_, *static_cast<const int*>(parameters[1]));
    return device_.enqueue(fill, stream);
  }
  int calls = 0;
  bool fails = false;

 private:
  Device& device_;
  const std::size_t bytes_;
};

TEST_F(MemoryContract, ARoutineEnqueuesAmongOtherOperationsAloneAndInBatches) {
  Array<unsigned char> first(device(), 512), second(device(), 512);
  Filling filling(device(), 256);
  int value = 7;
  std::vector<void*> of_first{first.parameter(), &value}, of_second{second.parameter(), &value};
  Operation to_first, to_second;
  to_first.kind = to_second.kind = Operation::Kind::routine;
  to_first.routine = to_second.routine = &filling;
  to_first.parameters = of_first.data();
  to_second.parameters = of_second.data();
  ASSERT_TRUE(device().enqueue(to_first, nullptr).ok());
  ASSERT_TRUE(device().synchronize(nullptr).ok());
  EXPECT_EQ(first[255], 7);
  EXPECT_EQ(first[256], 0);
  value = 8;
  const std::vector<std::span<const Operation>> sets{{&to_first, 1}, {&to_second, 1}};
  const DeviceTimes samples = instruments().take_samples({.before = {}, .timed = sets, .count = 3, .batch = 4});
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  EXPECT_EQ(samples.nanoseconds.size(), 3u);
  EXPECT_EQ(first[255], 8);
  EXPECT_EQ(second[255], 8);
  EXPECT_GE(filling.calls, 5) << "a batch has four, and may be recorded once";
  filling.fails = true;
  const DeviceTimes failed = instruments().take_samples({.before = {}, .timed = sets, .batch = 4});
  EXPECT_EQ(failed.status.verdict, Verdict::launch_error);
  EXPECT_EQ(failed.status.detail, "out of order");
  filling.fails = false;
  EXPECT_TRUE(instruments().take_samples({.before = {}, .timed = sets}).status.ok()) << "the device goes on";
}

TEST_F(MemoryContract, ServesSeveralThreadsEachWithItsOwnStream) {
  constexpr int bytes = 1 << 18;
  const std::shared_ptr<Module> module =
      load("__global__ void run(int* out) { __syncthreads(); atomicAdd(out, __any_sync(~0u, 1)); }", {"run"});
  ASSERT_NE(module, nullptr);
  Array<int> all(device(), 1);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, -1);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const StreamHandle stream = device().make_stream();
      Array<unsigned char> memory(device(), bytes);
      void* out = all.data();
      std::vector<void*> parameters{&out};
      const Operation launch = launch_of(function(*module, "run", shape(3, 64)), shape(3, 64), parameters);
      int bad = 0;
      std::vector<unsigned char> host(bytes);
      for (int round = 0; round < 50; ++round) {
        if (!device().enqueue(fill_of_bytes(memory.data(), bytes, t + 1), stream).ok()) ++bad;
        if (!device().enqueue(launch, stream).ok()) ++bad;
        device().copy_out(host.data(), memory.data(), host.size(), stream);
        for (const unsigned char byte : host) bad += byte != t + 1;
      }
      device().destroy_stream(stream);
      wrong[static_cast<std::size_t>(t)] = bad;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, Each(0));
  EXPECT_EQ(all[0], 4 * 50 * 3 * 64);
}

TEST_F(MemoryContract, GuardBandsShowWritesOutsideTheirMemory) {
  GuardedMemory memory(device(), tools(), 100 * sizeof(int), Guards::of_input);
  const std::shared_ptr<Module> module = load("__global__ void run(int* x, int at) { x[at] = 1; }", {"run"});
  ASSERT_NE(module, nullptr);
  void* data = memory.data();
  for (auto [at, expected] : {std::pair(99, 0LL), {100, 400LL}, {-3, -12LL}}) {
    memory.arm_guards();
    ASSERT_TRUE(launch(*module, "run", shape(1, 1), {&data, &at}).ok());
    long long changed = 0;
    Checks checks;
    memory.add_guards(checks, [&](long long offset) {
      changed = offset;
      return Status{Verdict::guard, "", false};
    });
    EXPECT_EQ(checks.run(tools()).ok(), at == 99);
    EXPECT_EQ(changed, expected);
  }
}

}  // namespace
}  // namespace attune
