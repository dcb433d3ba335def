// The computed occupancy is the driver's, for kernels of many register counts and static sizes, in blocks of many sizes
// and dynamic sizes.
#include "core/occupancy.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "support/command.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using MostBlocks = cuda::DriverResult (*)(int* blocks, CUfunc_st*, int threads, std::size_t dynamic_bytes);

// LIVE values are live across the barrier, so that the compiler uses all registers that --maxrregcount allows.
constexpr const char* source = R"(
template <int LIVE, int STATIC> __global__ void held(float* data) {
  float values[LIVE];
#pragma unroll
  for (int i = 0; i < LIVE; ++i) values[i] = data[i * 1024 + threadIdx.x];
  if constexpr (STATIC > 0) {
    __shared__ float kept[STATIC];
    kept[threadIdx.x % STATIC] = values[0];
    __syncthreads();
    values[0] = kept[(threadIdx.x + 1) % STATIC];
  }
  __syncthreads();
#pragma unroll
  for (int i = 0; i < LIVE; ++i) data[i * 1024 + threadIdx.x] = values[LIVE - 1 - i] * values[i * 7 % LIVE];
}
)";
constexpr int least_registers = 24, most_registers = 255, registers_step = 5;

class GpuOccupancy : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (device_ == nullptr) return;
    most_blocks_ = reinterpret_cast<MostBlocks>(
        dlsym(dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL), "cuOccupancyMaxActiveBlocksPerMultiprocessor"));
    ASSERT_NE(most_blocks_, nullptr);
    limits_ = *multiprocessor_limits(device().info());
  }

  // Sizes at which one block more or less fits, and others; none that the launch could not have.
  std::set<std::uint64_t> dynamic_sizes(std::uint64_t fixed) const {
    std::set<std::uint64_t> sizes = {0, 1, 100, 128, 129, 1000, 8192, 10000, 33333, 49152, 65536, 99999, 160000};
    for (std::uint64_t blocks = 1; blocks <= 32; ++blocks) {
      const std::uint64_t each = limits_.shared_bytes / blocks / limits_.shared_unit * limits_.shared_unit;
      for (const std::uint64_t more : {0, 1})
        if (each + more >= limits_.shared_reserved + fixed) sizes.insert(each + more - limits_.shared_reserved - fixed);
    }
    std::erase_if(sizes, [&](std::uint64_t size) { return size + fixed > limits_.shared_per_block; });
    return sizes;
  }

  void compare(CUfunc_st* function, int registers, std::uint64_t fixed) {
    std::set<int> threads = {1, 31, 33, 65, 100, 250, 500, 1000};
    for (int warps = 1; 32 * warps <= limits_.max_threads_per_block; ++warps) threads.insert(32 * warps);
    for (const int size : threads)
      for (const std::uint64_t dynamic : dynamic_sizes(fixed)) {
        int drivers = 0;
        const cuda::DriverResult result = most_blocks_(&drivers, function, size, dynamic);
        const Occupancy own = occupancy_of({size, registers, fixed + dynamic}, limits_);
        ++cases_;
        if (result == cuda::result_success && drivers == own.blocks) continue;
        if (++wrong_ <= 20)
          std::printf("%d threads, %d registers, %llu + %llu bytes: driver %d (result %d), computed %d: %s\n", size,
                      registers, static_cast<unsigned long long>(fixed), static_cast<unsigned long long>(dynamic),
                      drivers, result, own.blocks, fmt::format("{}", fmt::join(own.blocks_by, " ")).c_str());
      }
  }

  // Compares kernels of so many registers, with several static sizes.
  void compare_with(int most_registers, const cuda::DriverApi& api) {
    ImageRequest wanted = request(source, {});
    for (const int fixed : {0, 1031, 250})
      wanted.expressions.push_back(fmt::format("held<{}, {}>", most_registers + 10, fixed));
    wanted.options = {fmt::format("--maxrregcount={}", most_registers)};
    const CompileOutcome outcome = compile(wanted);
    ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
    ASSERT_FALSE(outcome.image->is_ptx()) << "this NVRTC does not know the device";
    CUmod_st* module = nullptr;
    ASSERT_EQ(api.module_load(&module, outcome.image->code->data()), 0);
    for (const ImageFunction& entry : outcome.image->functions) {
      CUfunc_st* function = nullptr;
      int registers = 0, fixed = 0;
      ASSERT_EQ(api.module_get_function(&function, module, entry.symbol.c_str()), 0) << entry.symbol;
      ASSERT_EQ(api.function_get_attribute(&registers, cuda::function_registers, function), 0);
      ASSERT_EQ(api.function_get_attribute(&fixed, cuda::function_shared_static, function), 0);
      EXPECT_EQ(registers, entry.usage.registers) << "the compiler's log says so";
      EXPECT_EQ(static_cast<std::uint64_t>(fixed), entry.usage.shared_static);
      const int dynamic = static_cast<int>(limits_.shared_per_block) - fixed;
      ASSERT_EQ(api.function_set_attribute(function, cuda::function_max_dynamic_shared, dynamic), 0);
      registers_seen_.insert(registers);
      compare(function, registers, static_cast<std::uint64_t>(fixed));
    }
    EXPECT_EQ(api.module_unload(module), 0);
  }

  MostBlocks most_blocks_ = nullptr;
  MultiprocessorLimits limits_;
  std::set<int> registers_seen_;
  int cases_ = 0, wrong_ = 0;
};

TEST_F(GpuOccupancy, IsWhatTheDriverSaysInAllCases) {
  const auto context = cuda::CudaContext::open(cuda::require_driver(), std::nullopt);
  const cuda::ContextScope scope(*context);
  for (int registers = least_registers; registers <= most_registers; registers += registers_step)
    ASSERT_NO_FATAL_FAILURE(compare_with(registers, context->api()));
  std::printf("%d cases of %zu register counts (%s), %d of them unlike the driver's\n", cases_, registers_seen_.size(),
              fmt::format("{}", fmt::join(registers_seen_, " ")).c_str(), wrong_);
  EXPECT_EQ(wrong_, 0);
  EXPECT_GE(cases_, 20000);
  EXPECT_GE(registers_seen_.size(), 40u);
}

TEST_F(GpuOccupancy, IsNamedByTuneAndShow) {
  std::string folder = (std::filesystem::temp_directory_path() / "attune_gpu_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const auto attune = [&](std::vector<std::string> arguments) {
    const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    arguments.insert(arguments.begin(), (programs / "attune").string());
    return test::run_command(arguments, {.environment = {{"ATTUNE_DB", folder + "/wisdom.db"},
                                                         {"ATTUNE_CACHE", folder + "/cache"},
                                                         {"ATTUNE_DEVICE", "cuda:0"}}});
  };
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tune", "axpy", "--trials", "3"}, {"show", "axpy"}, {"check", "axpy"}}) {
    const test::CommandResult result = attune(command);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, testing::ContainsRegex("occupancy +[0-9]+ % .[0-9]+ blocks? of [0-9]+ threads"));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace attune
