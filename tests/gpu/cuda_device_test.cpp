// What a CUDA device says of itself, and in which context it works.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>

#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "device/memory.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::Array;

class CudaDeviceTest : public test::GpuTest {};

TEST_F(CudaDeviceTest, KnowsItself) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(info.kind, "cuda");
  EXPECT_FALSE(info.name.empty());
  EXPECT_GE(info.compute_capability, 50);
  EXPECT_EQ(info.architecture(), "sm_" + std::to_string(info.compute_capability));
  EXPECT_GE(info.multiprocessors, 1);
  EXPECT_GT(info.memory_bytes, 1ULL << 30);
  EXPECT_GE(info.memory_bus_bits, 32);
  EXPECT_GE(info.l2_bytes, 1ULL << 18);
  EXPECT_EQ(info.warp_size, 32);
  EXPECT_EQ(info.max_threads_per_block, 1024);
  EXPECT_EQ(info.max_grid[0], 2147483647);
  EXPECT_EQ(info.max_grid[1], 65535);
  EXPECT_EQ(info.max_block[2], 64);
  EXPECT_EQ(info.shared_static_limit, 49152u);
  EXPECT_GE(info.shared_per_block, info.shared_static_limit);
  EXPECT_GE(info.shared_per_multiprocessor, info.shared_per_block);
  EXPECT_EQ(info.shared_reserved, info.compute_capability >= 80 ? 1024u : 0u);
  EXPECT_GE(info.max_blocks_per_multiprocessor, 16);
  EXPECT_GE(info.registers_per_block, 32768);
  EXPECT_GT(info.clock_khz, 100000);
  EXPECT_THAT(info.uuid, testing::AnyOf(testing::StartsWith("GPU-"), testing::StartsWith("MIG-")));
  EXPECT_EQ(info.uuid.size(), 40u);
  EXPECT_GE(info.driver_cuda_version, 11000);
  EXPECT_THAT(info.driver, testing::HasSubstr("CUDA "));
  EXPECT_EQ(driver_version_text(), info.driver);
  std::printf("%s, %s, driver %s\n", info.class_key().c_str(), info.uuid.c_str(), info.driver.c_str());
}

TEST_F(CudaDeviceTest, OpensByItsUuid) {
  const DeviceInfo& info = device().info();
  EXPECT_EQ(open_device(info.uuid)->info().ordinal, info.ordinal);
}

TEST_F(CudaDeviceTest, TellsItsStateWhileItWorks) {
  const DeviceMemory memory(device(), std::size_t{256} << 20);
  const Operation fill = test::fill_of_bytes(memory.data(), memory.bytes(), 0);
  const DeviceState before = instruments().state();
  if (!before.sm_clock_mhz && !before.power_w) GTEST_SKIP() << "no NVML here";
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);  // NVML's counter moves at 10 Hz
  DeviceState state;
  int readings = 0;
  double seconds = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(device().enqueue(fill, nullptr).ok());
    const auto start = std::chrono::steady_clock::now();
    state = instruments().state();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ++readings;
    ASSERT_TRUE(device().synchronize(nullptr).ok());
  }
  if (!device().info().mig_profile.empty()) GTEST_SKIP() << "NVML tells less of a part of a device";
  ASSERT_TRUE(state.sm_clock_mhz && state.memory_clock_mhz && state.temperature_c && state.power_w && state.energy_j &&
              state.throttle && before.energy_j);
  const auto between = [](double low, double high) { return testing::AllOf(testing::Ge(low), testing::Le(high)); };
  EXPECT_THAT(*state.sm_clock_mhz, between(100, 4000));
  EXPECT_THAT(*state.memory_clock_mhz, between(100, 40000));  // GDDR counts its data rate
  EXPECT_THAT(*state.temperature_c, between(0, 110));
  EXPECT_THAT(*state.power_w, between(10, 2000));
  EXPECT_GE(*state.energy_j, *before.energy_j);
  EXPECT_LE(*state.energy_j - *before.energy_j, 2000 * 60.0);
  EXPECT_EQ(*state.throttle & ~throttle_known, 0u);
  std::printf(
      "%.0f MHz, memory %.0f MHz, %.0f C, %.1f W, %.1f J since before, throttle 0x%x; a reading takes %.0f us\n",
      *state.sm_clock_mhz, *state.memory_clock_mhz, *state.temperature_c, *state.power_w,
      *state.energy_j - *before.energy_j, *state.throttle, 1e6 * seconds / readings);
}

TEST_F(CudaDeviceTest, OpensEveryOrdinalAndNoOther) {
  const auto devices = cuda_devices();
  ASSERT_FALSE(devices.empty());
  for (const DeviceInfo& known : devices) {
    const auto opened = open_cuda_device(known.ordinal);
    EXPECT_EQ(opened->info().ordinal, known.ordinal);
    EXPECT_EQ(opened->info().uuid, known.uuid);
    EXPECT_EQ(Array<int>(*opened, 256, known.ordinal + 7)[255], known.ordinal + 7);
  }
  EXPECT_THROW(open_cuda_device(static_cast<int>(devices.size())), UsageError);
  EXPECT_THROW(open_cuda_device(-1), UsageError);
}

TEST_F(CudaDeviceTest, CountsPast32Bits) {
  constexpr std::uint64_t count = (1ULL << 32) + 12345;
  if (device().free_memory() < 2 * count + (1ULL << 30)) GTEST_SKIP() << "needs 9 GiB of device memory";
  const DeviceMemory a(device(), count), e(device(), count);
  FillValues fill;
  fill.full_range = true;
  tools().generate(a.data(), "uint8", count, fill, 1);
  tools().generate(e.data(), "uint8", count, fill, 1);
  EXPECT_EQ(tools().inspect(CompareElements{a.data(), e.data(), "uint8", count, {}}).comparison.mismatches, 0u);
  unsigned char last = 0;
  auto* end = static_cast<unsigned char*>(a.data()) + count - 1;
  device().copy_out(&last, end, 1, nullptr);
  last = static_cast<unsigned char>(last + 1);
  device().copy_in(end, &last, 1, nullptr);
  const Comparison comparison = tools().inspect(CompareElements{a.data(), e.data(), "uint8", count, {}}).comparison;
  EXPECT_EQ(comparison.mismatches, 1u);
  EXPECT_EQ(comparison.first, count - 1);
}

// An application's own context, as cuCtxCreate makes it.
class OwnContext {
 public:
  explicit OwnContext(int ordinal) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    using Create = int (*)(CUctx_st**, unsigned, int);
    destroy_ = reinterpret_cast<int (*)(CUctx_st*)>(dlsym(driver, "cuCtxDestroy_v2"));
    EXPECT_EQ(reinterpret_cast<Create>(dlsym(driver, "cuCtxCreate_v2"))(&handle_, 0, ordinal), 0);
  }
  ~OwnContext() { destroy_(handle_); }
  CUctx_st* handle() const { return handle_; }

 private:
  CUctx_st* handle_ = nullptr;
  int (*destroy_)(CUctx_st*);
};

CUctx_st* current() {
  CUctx_st* context = nullptr;
  cuda::require_driver().context_get_current(&context);
  return context;
}

CUctx_st* pop() {
  CUctx_st* popped = nullptr;
  cuda::require_driver().context_pop(&popped);
  return popped;
}

TEST_F(CudaDeviceTest, WorksInThePrimaryContextWhenNoneIsCurrent) {
  ASSERT_EQ(current(), nullptr);
  const auto context = cuda::CudaContext::open(cuda::require_driver(), std::nullopt);
  EXPECT_FALSE(context->adopted());
  EXPECT_EQ(context->ordinal(), 0);
  EXPECT_EQ(current(), nullptr) << "opening a device leaves the thread as it was";
}

TEST_F(CudaDeviceTest, AdoptsTheCallersContextWithAndWithoutAnOrdinal) {
  const OwnContext own(0);
  ASSERT_EQ(current(), own.handle());
  for (const std::optional<int> ordinal : {std::optional<int>(), std::optional<int>(0)}) {
    const auto context = cuda::CudaContext::open(cuda::require_driver(), ordinal);
    EXPECT_TRUE(context->adopted());
    EXPECT_EQ(context->handle(), own.handle());
  }
  EXPECT_EQ(pop(), own.handle());
}

TEST_F(CudaDeviceTest, MakesItsContextCurrentForACallAndRestoresTheFormerOne) {
  const OwnContext own(0);
  const auto adopted = open_cuda_device(std::nullopt);
  ASSERT_EQ(pop(), own.handle());
  EXPECT_EQ(current(), nullptr);
  {
    const Array<int> memory(*adopted, 1024, 5);
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(memory.values(), std::vector<int>(1024, 5));
    const OwnContext other(0);
    EXPECT_EQ(memory.values(), std::vector<int>(1024, 5));
    EXPECT_EQ(current(), other.handle());
    pop();
  }
  EXPECT_EQ(current(), nullptr);
}

}  // namespace
}  // namespace attune
