// Compiling with the NVRTC of this machine, to real cubins; no driver is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/launched_log.hpp"
#include "device/cuda/nvrtc_target.hpp"
#include "kernel/argument_checks.hpp"
#include "support/message_of.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

using test::request_for;
using testing::HasSubstr;

constexpr const char* scale_source = R"(
template <typename T, int N> __global__ void scale(T* x) {
  __shared__ T tile[N];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[N - 1 - threadIdx.x];
}
)";

CompileOutcome compile(const ImageRequest& request) {
  return std::move(make_nvrtc_compiler("sm_90")->compile({&request, 1}).front());
}
// Of a request that has to compile.
CompileOutcome compiled(const ImageRequest& request) {
  CompileOutcome outcome = compile(request);
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  return outcome;
}
void expect_error(const ImageRequest& request, const std::string& words) {
  const CompileOutcome outcome = compile(request);
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_FALSE(outcome.image);
  EXPECT_THAT(outcome.log, HasSubstr(words));
}

std::string text_of(const Image& image) {
  return {reinterpret_cast<const char*>(image.code->data()), image.code->size()};
}

bool knows(int architecture) {
  const auto& known = cuda::nvrtc().architectures;
  return std::find(known.begin(), known.end(), architecture) != known.end();
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves more addresses than any limit
void allow_addresses(rlim_t bytes) {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_AS, &limit);
}

// Takes all memory that the process has and does not use: how much that is depends on what it did before.
void take_free_memory() {
  static void* volatile taken = nullptr;  // volatile: a compiler may leave out what nobody uses
  for (const std::size_t bytes : {std::size_t{1} << 20, std::size_t{1} << 16, std::size_t{1} << 12, std::size_t{256}})
    do taken = std::malloc(bytes);
    while (taken != nullptr);
}

// Compiles in a process of its own with so many MiB of memory. Returns the verdict, or 100 for a death.
int verdict_within(int mebibytes, const ImageRequest& request, bool is_chosen = false) {
  const pid_t child = fork();
  if (child == 0) {
    if (is_chosen) setenv("ATTUNE_COMPILE_MEMORY", "4096", 1);
    compile(request_for("__global__ void first() {}", {"first"}));  // loads all of NVRTC
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t present = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE));
    allow_addresses(present);
    take_free_memory();
    allow_addresses(present + (static_cast<rlim_t>(mebibytes) << 20));
    _exit(static_cast<int>(compile(request).verdict));
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}
#endif

class NvrtcCompile : public test::NvrtcTest {};
class NvrtcArchitecture : public test::NvrtcTest, public testing::WithParamInterface<int> {};

#if !defined(__SANITIZE_ADDRESS__)
// In the front end, and in ptxas: whoever took the memory, the kernel is sound.
TEST_F(NvrtcCompile, WithoutEnoughMemoryIsNoErrorOfTheSource) {
  const ImageRequest large = request_for(R"(
template <int N> struct Sums {
  float v[N];
  __device__ float of(float x) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) { v[i] = x * i + sum; sum += v[i] * v[(i * 7) % N]; }
    return sum;
  }
};
template <int N> __device__ float chain(float x) {
  Sums<N> sums;
  if constexpr (N > 1) return sums.of(x) + chain<N - 1>(x); else return x;
}
__global__ void run(float* out) { out[threadIdx.x] = chain<95>(out[threadIdx.x]); }
)",
                                         {"run"});
  // NVRTC itself may die of it (100), at other sizes in each process.
  std::map<int, int> unlimited;
  std::map<int, int> limited;
  for (const int mebibytes : {2, 8, 16, 24, 32, 40}) {
    ++unlimited[verdict_within(mebibytes, large)];
    ++limited[verdict_within(mebibytes, large, true)];
  }
  EXPECT_FALSE(unlimited.contains(static_cast<int>(Verdict::compile_error))) << testing::PrintToString(unlimited);
  EXPECT_TRUE(unlimited.contains(static_cast<int>(Verdict::compile_crash))) << testing::PrintToString(unlimited);
  EXPECT_FALSE(limited.contains(static_cast<int>(Verdict::compile_crash))) << "of a limit that its user chose";
  EXPECT_TRUE(limited.contains(static_cast<int>(Verdict::out_of_memory))) << testing::PrintToString(limited);
  EXPECT_EQ(verdict_within(4000, large), static_cast<int>(Verdict::ok));
}
#endif

TEST_P(NvrtcArchitecture, CompilesToItsCubin) {
  if (!knows(GetParam())) GTEST_SKIP() << cuda::nvrtc().name() << " does not know sm_" << GetParam();
  const std::string architecture = "sm_" + std::to_string(GetParam());
  const CompileOutcome outcome =
      compiled(request_for(scale_source, {"scale<double, 64>", "scale<float, 128>"}, architecture));
  ASSERT_TRUE(outcome.image);
  EXPECT_THAT(text_of(*outcome.image), testing::StartsWith("\x7f"
                                                           "ELF"));
  EXPECT_EQ(outcome.image->architecture, architecture);
  EXPECT_EQ(outcome.image->toolchain, cuda::nvrtc().name());
  EXPECT_GT(outcome.milliseconds, 0);
  ASSERT_EQ(outcome.image->functions.size(), 2u);
  const ImageFunction* of_floats = outcome.image->find("scale<float, 128>");
  ASSERT_NE(of_floats, nullptr);
  EXPECT_EQ(of_floats->symbol, "_Z5scaleIfLi128EEvPT_");
  EXPECT_EQ(of_floats->usage.shared_static, 512u);
  EXPECT_GT(of_floats->usage.registers, 0);
  EXPECT_EQ(of_floats->usage.spill_bytes, 0u);
  EXPECT_EQ(outcome.image->find("scale<double, 64>")->usage.shared_static, 512u);
}
INSTANTIATE_TEST_SUITE_P(, NvrtcArchitecture, testing::Values(75, 80, 90, 120));

TEST_F(NvrtcCompile, TakesArchitectureSpecificTargets) {
  const char* source = "__global__ void fence() { asm volatile(\"wgmma.fence.sync.aligned;\"); }";
  compiled(request_for(source, {"fence"}, "sm_90a"));
  expect_error(request_for(source, {"fence"}, "sm_90"), "");
}

TEST_F(NvrtcCompile, GivesEntriesWithoutTemplatesTheirSymbolsOnTheCompilersArchitecture) {
  const CompileOutcome outcome =
      compiled(request_for("extern \"C\" __global__ void plain(int* x) { int unused; *x = 1; }\n"
                           "namespace a { __global__ void inner(int* x) { *x = 2; } }",
                           {"a::inner", "plain"}));
  ASSERT_TRUE(outcome.image);
  EXPECT_EQ(outcome.image->architecture, "sm_90");
  EXPECT_EQ(outcome.image->find("plain")->symbol, "plain");
  EXPECT_EQ(outcome.image->find("a::inner")->symbol, "_ZN1a5innerEPi");
  EXPECT_THAT(outcome.log, HasSubstr("\"unused\" was declared but never referenced")) << "warnings are kept";
}

// The source has another entry, which is compiled too; a warning of lost performance names the entry that it is about.
TEST_F(NvrtcCompile, ALogNamesTheEntriesThatAreNotAskedForToo) {
  const char* source = R"(
template <int N> __device__ void multiply(float* y, long long n) {
  float a = 0, b = 0, c = 0, d = 0;
  unsigned long long left = n, right = n + N;
  asm volatile("wgmma.fence.sync.aligned;");
  for (int i = 0; i < n; ++i) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "l"(left), "l"(right));
    a += b * y[i];
  }
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  y[threadIdx.x] = a + b + c + d;
}
template <int N> __global__ void asked(float* y, long long n) { multiply<N>(y, n); }
extern "C" __global__ void other(float* y, long long n) { multiply<7>(y, n); }
)";
  const std::string loss = "Potential Performance Loss: wgmma.mma_async instructions are serialized";
  const CompileOutcome first = compiled(request_for(source, {"asked<1>"}, "sm_90a"));
  ASSERT_TRUE(first.image);
  EXPECT_THAT(first.log, HasSubstr("'other'"));
  EXPECT_THAT(cuda::launched_log(first.log, first.image->functions),
              testing::AllOf(HasSubstr(loss), HasSubstr("'_Z5askedILi1EEvPfx'"), testing::Not(HasSubstr("other"))));
  const CompileOutcome both = compiled(request_for(source, {"asked<1>", "other"}, "sm_90a"));
  ASSERT_TRUE(both.image);
  EXPECT_EQ(cuda::launched_log(both.log, both.image->functions), both.log);
}

// As many bytes of parameters as attune lets a launch have, and one more.
TEST_F(NvrtcCompile, TakesAllParametersThatALaunchTakes) {
  const auto with_bytes = [](int bytes) {
    return request_for("struct Values { char of[" + std::to_string(bytes) +
                           "]; };\n__global__ void last(char* out, const __grid_constant__ Values values) { *out = "
                           "values.of[sizeof values - 1]; }",
                       {"last"});
  };
  compiled(with_bytes(32764 - 8));
  expect_error(with_bytes(32764 - 7), "Formal parameter space overflowed");
}

TEST_F(NvrtcCompile, AnErrorIsAnOutcomeWithTheLogAndSpoilsNoNeighbour) {
  const std::vector<ImageRequest> requests = {
      request_for(scale_source, {"scale<float, 32>"}),
      request_for("__global__ void broken(int* x) { *x = missing; }", {"broken"}),
      request_for(scale_source, {"no_such_kernel<3>"})};
  const auto outcomes = make_nvrtc_compiler("sm_90")->compile(requests);
  ASSERT_EQ(outcomes.size(), 3u);
  EXPECT_EQ(outcomes[0].verdict, Verdict::ok);
  EXPECT_EQ(outcomes[1].verdict, Verdict::compile_error);
  EXPECT_FALSE(outcomes[1].image);
  EXPECT_THAT(outcomes[1].log, HasSubstr("kernel.cu(1): error: identifier \"missing\" is undefined"));
  EXPECT_EQ(outcomes[2].verdict, Verdict::compile_error);
  EXPECT_THAT(outcomes[2].log, HasSubstr("no_such_kernel"));
}

TEST_F(NvrtcCompile, MoreThanTheWholeStaticSharedMemoryIsAVerdictOfItsOwn) {
  const CompileOutcome whole = compiled(request_for(scale_source, {"scale<float, 12288>"}));
  ASSERT_TRUE(whole.image);
  EXPECT_EQ(whole.image->functions.front().usage.shared_static, 49152u);
  const CompileOutcome outcome = compile(request_for(scale_source, {"scale<float, 128>", "scale<float, 12289>"}));
  EXPECT_EQ(outcome.verdict, Verdict::resources);
  EXPECT_FALSE(outcome.image);
  EXPECT_THAT(outcome.log, testing::AllOf(HasSubstr("49156 bytes"), HasSubstr("scale<float, 12289>")));
  EXPECT_EQ(outcome.log.find('\0'), std::string::npos) << "NVRTC 13.0 has one before the error line";
}

TEST_F(NvrtcCompile, ReadsSpillsAndTheRegistersThatAnOptionAllows) {
  const char* source = R"(
__global__ void heavy(float* x) {
  float v[64];
  for (int i = 0; i < 64; ++i) v[i] = x[i * 33 + threadIdx.x];
  for (int round = 0; round < 4; ++round)
    for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i + 7) % 64] + v[(i + 31) % 64];
  for (int i = 0; i < 64; ++i) x[i * 33 + threadIdx.x] = v[i];
}
)";
  const CompileOutcome outcome = compiled(request_for(source, {"heavy"}, "", {"--maxrregcount=32"}));
  ASSERT_TRUE(outcome.image);
  const ResourceUsage& usage = outcome.image->functions.front().usage;
  EXPECT_LE(usage.registers, 32);
  EXPECT_GT(usage.spill_bytes, 0u) << outcome.log;
  EXPECT_GT(usage.local_bytes, 0u) << outcome.log;
}

TEST_F(NvrtcCompile, FindsAttunesHeaderAndTheRequestsOwn) {
  ImageRequest request = request_for(
      "#include \"attune.cuh\"\n#include \"mine/constants.cuh\"\n"
      "__global__ void k(attune::Wide<int>* x) { *x = MINE; }",
      {"k"});
  request.source.headers = {{"mine/constants.cuh", "#define MINE 42\n"}};
  compiled(request);
  request.source.headers.clear();
  expect_error(request, "mine/constants.cuh");
}

TEST_F(NvrtcCompile, PassesOptionsAndLetsThemChooseTheStandard) {
  const char* source = "#if __cplusplus != EXPECTED\n#error other standard\n#endif\n__global__ void k() {}";
  compiled(request_for(source, {"k"}, "", {"-DEXPECTED=201703L"}));
  const CompileOutcome chosen = compiled(request_for(source, {"k"}, "", {"-DEXPECTED=202002L", "-std=c++20"}));
  EXPECT_THAT(chosen.log, testing::Not(HasSubstr("warning")));
  expect_error(request_for(source, {"k"}, "", {"--no-such-option"}), "--no-such-option");
}

TEST_F(NvrtcCompile, RefusesArchitecturesThatAreNoneOrTooOld) {
  const ImageRequest old = request_for(scale_source, {"scale<int, 32>"}, "sm_20");
  for (const std::string& words : {std::string("too old"), cuda::nvrtc().name()}) expect_error(old, words);
  expect_error(request_for(scale_source, {"scale<int, 32>"}, "host"), "expected sm_NN");
}

TEST_F(NvrtcCompile, ForANewerArchitectureThereIsPtx) {
  const auto& known = cuda::nvrtc().architectures;
  const std::string newest = std::to_string(*std::max_element(known.begin(), known.end()));
  const CompileOutcome outcome = compiled(request_for(scale_source, {"scale<int, 32>"}, "sm_990"));
  ASSERT_TRUE(outcome.image);
  const std::string ptx = text_of(*outcome.image);
  EXPECT_EQ(ptx.back(), '\0');  // as the driver wants it
  EXPECT_THAT(ptx, HasSubstr(".target sm_" + newest));
  const ImageFunction* const entry = outcome.image->find("scale<int, 32>");
  ASSERT_NE(entry, nullptr);
  EXPECT_THAT(ptx, HasSubstr(".entry " + entry->symbol));
  EXPECT_EQ(outcome.image->architecture, "compute_" + newest);
  EXPECT_THAT(make_nvrtc_compiler("sm_990")->toolchain(), HasSubstr("PTX for compute_" + newest));
}

// One between those that it knows, or beyond them all, is served by the nearest before it; in the PTX of a newer one
// there may be what it cannot do.
TEST_F(NvrtcCompile, ThePtxIsOfTheNewestBeforeTheDevice) {
  cuda::NvrtcLibrary older = cuda::nvrtc();
  older.architectures = {75, 80, 100};
  const auto made = [&](const char* architecture) { return cuda::nvrtc_target(older, architecture).architecture; };
  EXPECT_EQ(made("sm_90"), "compute_80");
  EXPECT_EQ(made("sm_80a"), "sm_80a");
  EXPECT_THROW(made("sm_90a"), cuda::UnknownArchitecture);  // no PTX of another has what it asks for
  EXPECT_EQ(made("sm_80"), "sm_80");
  EXPECT_EQ(made("sm_120"), "compute_100");
  EXPECT_THROW(made("sm_70"), cuda::UnknownArchitecture);
  EXPECT_THAT(message_of<cuda::UnknownArchitecture>([&] { made("sm_120a"); }),
              HasSubstr("leave `requires` out of the kernel's [compile]"));
}

TEST_F(NvrtcCompile, HalfAndBfloat16UseTheToolkitsHeadersOrSayThatTheyAreMissing) {
  const char* source = R"(
#include "attune.cuh"
__global__ void k(__half* x, __nv_bfloat16* y) { x[0] = __hadd(x[0], x[1]); y[0] = __hadd(y[0], y[1]); }
)";
  const CompileOutcome outcome = compile(request_for(source, {"k"}, "", {"-DATTUNE_HALF", "-DATTUNE_BFLOAT16"}));
  if (outcome.verdict == Verdict::ok) return;
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, HasSubstr("the type half needs the CUDA toolkit's header cuda_fp16.h"));
}

TEST_F(NvrtcCompile, ServesSeveralThreadsAtOnce) {
  const auto compiler = make_nvrtc_compiler("sm_80");
  constexpr int threads = 4, rounds = 3;
  std::atomic<int> good = 0;
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      for (int round = 0; round < rounds; ++round) {
        const int count = 32 * (1 + t * rounds + round);
        const std::string entry = "scale<int, " + std::to_string(count) + ">";
        const ImageRequest request = request_for(scale_source, {entry});
        const auto outcome = std::move(compiler->compile({&request, 1}).front());
        if (outcome.image && outcome.image->find(entry)->usage.shared_static == 4u * static_cast<unsigned>(count))
          ++good;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(good, threads * rounds);
}

TEST_F(NvrtcCompile, ComparesArgumentsWithTheEntrysParameters) {
  constexpr const char* source = R"(
#include "attune.cuh"
template <typename T> __global__ void saxpy(T* y, const T* x, float a, int n) {}
extern "C" __global__ void plain(float4* y, const unsigned* x, long long n) {}
struct alignas(64) Map { unsigned long long words[16]; };
__global__ void mapped(float* y, const __grid_constant__ Map map) { y[0] = map.words[0]; }
)";
  const auto with = [&](const std::string& entry, const std::vector<PassedArgument>& passed) {
    ImageRequest request = request_for(source, {entry});
    request.checks = argument_checks(entry, passed);
    return request;
  };
  const PassedArgument y{"y", "float", Passing::array}, x{"x", "float", Passing::array}, a{"a", "float"},
      n{"n", "int32"};
  EXPECT_EQ(compiled(with("saxpy<float>", {y, x, a, n})).log.find("error"), std::string::npos);
  compiled(with("plain", {y, {"x", "int32", Passing::array}, {"n", "uint64"}}));
  ImageRequest half = with("saxpy<__half>", {{"y", "half", Passing::array}, {"x", "half", Passing::array}, a, n});
  half.options = {"-DATTUNE_HALF=1"};
  if (compile(half).log.find("needs the CUDA toolkit") == std::string::npos) compiled(half);
  compiled(with("mapped", {y, {"tiles", "", Passing::map}}));
  expect_error(with("saxpy<float>", {y, x, {"tiles", "", Passing::map}, n}),
               "argument 'tiles' (tensor map) of 'saxpy<float>' does not fit parameter 3");
  expect_error(with("saxpy<float>", {y, x, {"a", "double"}, n}),
               "argument 'a' (double) of 'saxpy<float>' does not fit parameter 3");
  expect_error(with("saxpy<float>", {y, x, {"a", "double"}, n}), "attune_argument=double, attune_parameter=float");
  expect_error(with("saxpy<float>", {y, {"x", "double", Passing::array}, a, n}), "argument 'x' (array of double)");
  expect_error(with("plain", {y, {"x", "int32", Passing::array}}), "'plain' gets 2 arguments");
}

}  // namespace
}  // namespace attune
