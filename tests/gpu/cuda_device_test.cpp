// What a CUDA device says of itself, its memory, its streams, and whose context it works in.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::TestMemory;

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
  EXPECT_GE(info.registers_per_block, 32768);
  EXPECT_GT(info.clock_khz, 100000);
  EXPECT_THAT(info.uuid, testing::AnyOf(testing::StartsWith("GPU-"), testing::StartsWith("MIG-")));
  EXPECT_EQ(info.uuid.size(), 40u);
  EXPECT_GE(info.driver_cuda_version, 11000);
  EXPECT_THAT(info.driver, testing::HasSubstr("CUDA "));
  EXPECT_EQ(driver_version_text(), info.driver);
  std::printf("%s, %s, driver %s, power limit %d mW\n", info.class_key().c_str(), info.uuid.c_str(),
              info.driver.c_str(), info.power_limit_mw);
}

TEST_F(CudaDeviceTest, TellsItsStateWhileItWorks) {
  TestMemory memory(device(), std::size_t{256} << 20);
  Operation fill;
  fill.kind = Operation::Kind::memset;
  fill.target = memory.data();
  fill.bytes = std::size_t{256} << 20;
  const DeviceState before = device().state();
  if (!before.sm_clock_mhz && !before.power_w && device().info().power_limit_mw == 0) GTEST_SKIP() << "no NVML here";
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(500);  // NVML's counter moves at 10 Hz
  DeviceState state;
  int readings = 0;
  double seconds = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(device().enqueue(fill, nullptr).ok());
    const auto start = std::chrono::steady_clock::now();
    state = device().state();
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
    TestMemory memory(*opened, 1024);
    const std::vector<int> written(256, known.ordinal + 7);
    memory.write(written);
    EXPECT_EQ(memory.read<int>(256), written);
  }
  EXPECT_THROW(open_cuda_device(static_cast<int>(devices.size())), UsageError);
  EXPECT_THROW(open_cuda_device(-1), UsageError);
}

TEST_F(CudaDeviceTest, GivesAlignedMemoryAndTakesItBack) {
  const std::uint64_t before = device().free_memory();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{257}, std::size_t{1} << 26}) {
    TestMemory memory(device(), bytes);
    EXPECT_NE(memory.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 256, 0u);
  }
  EXPECT_LE(before - device().free_memory(), 64u << 20);
  device().free(nullptr);
}

TEST_F(CudaDeviceTest, SaysWhatThereIsNoRoomFor) {
  try {
    device().allocate(std::size_t{1} << 46);
    FAIL() << "64 TiB were given";
  } catch (const OutOfMemory& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("65536.00 GiB"));
    EXPECT_THAT(error.what(), testing::HasSubstr(device().info().name));
  }
}

TEST_F(CudaDeviceTest, CopiesAndFillsInTheOrderOfAStream) {
  const StreamHandle stream = device().make_stream();
  ASSERT_NE(stream, nullptr);
  TestMemory a(device(), 1000), b(device(), 1000);
  Operation fill, copy;
  fill.kind = Operation::Kind::memset;
  fill.target = a.data();
  fill.bytes = 1000;
  fill.value = 0xAB;
  copy.kind = Operation::Kind::copy;
  copy.target = b.data();
  copy.source = a.data();
  copy.bytes = 999;
  std::vector<unsigned char> host(1000, 1);
  device().copy_in(b.data(), host.data(), host.size(), stream);
  ASSERT_TRUE(device().enqueue(fill, stream).ok());
  ASSERT_TRUE(device().enqueue(copy, stream).ok());
  device().copy_out(host.data(), b.data(), host.size(), stream);
  EXPECT_EQ(host[0], 0xAB);
  EXPECT_EQ(host[998], 0xAB);
  EXPECT_EQ(host[999], 1);
  EXPECT_TRUE(device().synchronize(stream).ok());
  device().destroy_stream(stream);
  device().destroy_stream(nullptr);
}

TEST_F(CudaDeviceTest, ServesSeveralThreadsEachWithItsOwnStream) {
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, -1);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const StreamHandle stream = device().make_stream();
      TestMemory memory(device(), 1 << 20);
      Operation fill;
      fill.kind = Operation::Kind::memset;
      fill.target = memory.data();
      fill.bytes = 1 << 20;
      fill.value = t + 1;
      int bad = 0;
      std::vector<unsigned char> host(1 << 20);
      for (int round = 0; round < 20; ++round) {
        if (!device().enqueue(fill, stream).ok()) ++bad;
        device().copy_out(host.data(), memory.data(), host.size(), stream);
        for (const unsigned char byte : host) bad += byte != t + 1;
      }
      device().destroy_stream(stream);
      wrong[static_cast<std::size_t>(t)] = bad;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
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
    TestMemory memory(*adopted, 4096);
    EXPECT_EQ(current(), nullptr);
    memory.write(std::vector<int>(1024, 5));
    EXPECT_EQ(memory.read<int>(1024), std::vector<int>(1024, 5));
    const OwnContext other(0);
    EXPECT_EQ(memory.read<int>(1024), std::vector<int>(1024, 5));
    EXPECT_EQ(current(), other.handle());
    pop();
  }
  EXPECT_EQ(current(), nullptr);
}

}  // namespace
}  // namespace attune
