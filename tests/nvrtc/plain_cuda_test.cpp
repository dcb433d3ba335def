// Files as nvcc takes them: macros, headers of a host, whole programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "device/cuda/cuda_device.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "kernel/argument_checks.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::request_for;
using testing::HasSubstr;
using testing::Not;

CompileOutcome outcome_of(const ImageRequest& request) {
  return std::move(make_nvrtc_compiler("sm_90")->compile({&request, 1}).front());
}

// Returns "" if it compiles, else the log.
std::string refusal_of(const ImageRequest& request) {
  const CompileOutcome outcome = outcome_of(request);
  return outcome.verdict == Verdict::ok ? "" : std::string(to_text(outcome.verdict)) + ": " + outcome.log;
}

ImageRequest with_lines(std::string text, std::vector<Macro> macros) {
  ImageRequest request = request_for(std::move(text), {"run"});
  request.macros = std::move(macros);
  return request;
}

class PlainCuda : public test::NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    folder_ = fs::path(testing::TempDir()) / ("attune_plain_" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~PlainCuda() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  static void need_cub() {
    if (!cuda::find_toolkit_header(cuda::toolkit_include_folders(cuda::nvrtc().file), "cccl/cub/cub.cuh"))
      GTEST_SKIP() << "no CUB in the CUDA toolkit of this machine";
  }

  fs::path folder_;
};

TEST_F(PlainCuda, AMacroMayBeCalledAsSomethingOfNvrtcsHeaders) {
  const char* source = "__global__ void run(T* x) { x[type + val] = T(mask); }\n";
  EXPECT_EQ(refusal_of(with_lines(source, {{"T", "float"}, {"type", "1"}, {"val", "2"}, {"mask", "3"}})), "");
  ImageRequest before = request_for("__global__ void run(T* x) { x[0] = 1; }\n", {"run"});
  before.options = {"-DT=float"};
  EXPECT_NE(refusal_of(before), "") << "NVRTC has no use of T any more: macros need not be lines";
}

TEST_F(PlainCuda, AMacroMayBeCalledAsAParameterOfALibrarysTemplate) {
  need_cub();
  const char* source =
      "#include <cub/block/block_radix_sort.cuh>\n__global__ void run(int* x) { x[0] = RADIX_BITS; }\n";
  EXPECT_EQ(refusal_of(with_lines(source, {{"RADIX_BITS", "4"}, {"MEMOIZE", "1"}})), "");
}

TEST_F(PlainCuda, AMacroMayBeCalledAsSomethingOfTheChecks) {
  std::vector<Macro> macros;
  for (const char* name : {"Same", "Plain", "Array", "Map", "Kind", "Types", "Counts", "Values", "At", "x",
                           "element_type", "visibility", "N", "T"})
    macros.push_back({name, "7"});
  ImageRequest request = with_lines("__global__ void run(float4* a, int n) { a[n].y = Same + Map; }\n", macros);
  request.checks = argument_checks("run", {{"a", "float", Passing::array}, {"n", "int32", Passing::scalar}});
  EXPECT_EQ(refusal_of(request), "");
  request.checks = argument_checks("run", {{"a", "float", Passing::array}});
  EXPECT_THAT(refusal_of(request), HasSubstr("'run' gets 1 arguments"));
}

TEST_F(PlainCuda, MessagesKeepTheirLines) {
  EXPECT_THAT(refusal_of(with_lines("#include <cuda_fp16.h>\n\nint host;\n__global__ void run() { oops; }\n",
                                    {{"A", "1"}, {"B", "2"}})),
              HasSubstr("kernel.cu(4): error"));
}

TEST_F(PlainCuda, AMacroThatTheFileDefinesItselfHasTheParametersValue) {
  ImageRequest request = with_lines(
      "#include \"sizes.cuh\"\n#define TILE 16\n"
      "__global__ void run(int* x) { static_assert(TILE == 32 && SIZE == 8, \"\"); x[0] = TILE; }\n",
      {{"TILE", "32"}, {"SIZE", "8"}});
  request.source.headers = {{"sizes.cuh", "#define SIZE 4  // as published\n"}};
  EXPECT_EQ(refusal_of(request), "");
  EXPECT_THAT(outcome_of(request).log, Not(HasSubstr("redefinition")));
}

TEST_F(PlainCuda, AttunesOwnHeadersDoNotSeeTheMacros) {
  ImageRequest request = with_lines(
      "#include \"attune.cuh\"\n#include \"attune_rows.cuh\"\n"
      "__global__ void run(T* x) { x[N] = attune::Accumulator<T>(BLOCK); }\n",
      {{"T", "float"}, {"N", "1"}, {"BLOCK", "32"}});
  request.source.headers = {{"attune_rows.cuh", "template <typename T, int N, int BLOCK> struct Rows {};\n"}};
  EXPECT_EQ(refusal_of(request), "");
}

TEST_F(PlainCuda, ATypedefThatDiffersAndALiteralThatIsNotClosedAreNamed) {
  EXPECT_THAT(refusal_of(request_for("typedef unsigned long uint64_t;\n__global__ void run() {}\n", {"run"})),
              testing::AllOf(HasSubstr("kernel.cu(1): error"), HasSubstr("include <cstdint>")));
  EXPECT_THAT(refusal_of(request_for("#define X R\"(\"\n__global__ void run() {}\n", {"run"})),
              HasSubstr("compile_error"));
}

TEST_F(PlainCuda, LibrariesThatDefineNamesOfThePreludeGiveNoWarning) {
  need_cub();
  const CompileOutcome outcome =
      outcome_of(request_for("#include <cub/block/block_reduce.cuh>\n#include <utility>\n#define M_PI 3.0f\n"
                             "__global__ void run(float* x) { x[0] = std::move(x[1]) + INFINITY + M_PI; }\n",
                             {"run"}));
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.log, testing::AllOf(Not(HasSubstr("warning #47")), Not(HasSubstr("Remark"))));
}

TEST_F(PlainCuda, AMissingHeaderCountsOnlyWhereTheCompilerWantsIt) {
  EXPECT_EQ(
      refusal_of(request_for("#ifdef TIMING\n#include \"timing.h\"\n#endif\n__global__ void run() {}\n", {"run"})), "");
  EXPECT_THAT(refusal_of(request_for("#include \"timing.h\"\n__global__ void run() {}\n", {"run"})),
              testing::AllOf(HasSubstr("\"timing.h\""), HasSubstr("attune: a header in quotes is found beside")));
}

TEST_F(PlainCuda, WhatNvccDeclaresInEveryFileIsThere) {
  EXPECT_EQ(refusal_of(request_for(R"(
__global__ void run(uint8_t* bytes, int64_t n, uint count, ushort* s, size_t m) {
  static_assert(sizeof(int8_t) + sizeof(uint16_t) + sizeof(int32_t) + sizeof(uint64_t) + sizeof(uintptr_t) == 23, "");
  constexpr float infinite = INFINITY;
  static_assert(infinite > 3e38f && M_PI > 3.14159 && M_PI < 3.1416, "");
  float x = -INFINITY, y = NAN;
  bytes[n] = x < y ? std::int8_t(1) : uint8_t(count + s[m] + std::size_t(1));
}
)",
                                   {"run"})),
            "");
}

TEST_F(PlainCuda, HeadersOfAHostAreThereAndRealOnesWin) {
  const char* source = R"(
#include <algorithm>
#include <assert.h>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdio.h>
#include <vector>
#include "cuda_runtime.h"
__global__ void run(float* x, int n) {
  assert(n < INT_MAX);
  x[0] = std::max(x[1], -FLT_MAX) + std::sqrt(x[2]) + std::min<int>(n, 3) + std::abs(x[3]);
  if (n < 0) printf("%d\n", n);
}
)";
  EXPECT_EQ(refusal_of(request_for(source, {"run"})), "");
  write("cfloat", "#define FLT_MAX 1.0f\n#define MINE 1\n");
  source = "#include <cfloat>\n__global__ void run() {}\n";
  const std::string with_mine = std::string(source) + "static_assert(MINE && FLT_MAX == 1.0f, \"\");\n";
  EXPECT_EQ(refusal_of(request_for(with_mine, {"run"}, "", {"-I" + folder_.string()})), "");
  write("outer.h", "#include \"stdio.h\"\n");
  write("stdio.h", "#define MINE 1\n");
  EXPECT_EQ(refusal_of(request_for("#include <outer.h>\n#include <stdio.h>\nstatic_assert(MINE, \"\");\n"
                                   "__global__ void run() {}\n",
                                   {"run"}, "", {"-I" + folder_.string()})),
            "");
}

// NVRTC takes a text of a name wherever that name is included.
TEST_F(PlainCuda, AHeaderThatIsFoundSomewhereIsNotHidden) {
  fs::create_directories(folder_ / "sub");
  write("sub/outer.h", "#include \"stdio.h\"\n");
  write("sub/stdio.h", "#define MINE 1\n");
  EXPECT_EQ(refusal_of(request_for("#if 0\n#include <stdio.h>\n#endif\n#include <sub/outer.h>\n"
                                   "static_assert(MINE, \"\");\n__global__ void run() {}\n",
                                   {"run"}, "", {"-I" + folder_.string()})),
            "");
}

TEST_F(PlainCuda, TheToolkitsOwnHeadersMayBeInQuotesAndItsFolderMayBeNamed) {
  const auto folders = cuda::toolkit_include_folders(cuda::nvrtc().file);
  const auto folder = cuda::find_toolkit_header(folders, "cuda_runtime.h");
  if (!folder) GTEST_SKIP() << "no CUDA toolkit on this machine";
  for (const std::vector<std::string>& options : {std::vector<std::string>{}, {"-I" + folder->string()}})
    EXPECT_EQ(refusal_of(request_for("#include \"cuda_runtime.h\"\n#include \"math_constants.h\"\n#include \"mma.h\"\n"
                                     "__global__ void run(float* x) { x[0] = CUDART_INF_F; }\n",
                                     {"run"}, "", options)),
              "");
}

TEST_F(PlainCuda, TemplatesOfTheStandardLibraryAreThoseOfTheToolkit) {
  need_cub();
  EXPECT_EQ(refusal_of(request_for("#include <limits>\n#include <type_traits>\n__global__ void run(float* x) {\n"
                                   "  static_assert(std::is_same_v<float, float>, \"\");\n"
                                   "  x[0] = std::numeric_limits<float>::max();\n}\n",
                                   {"run"})),
            "");
}

constexpr const char* whole_program = R"(
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>
#include "cuda_runtime.h"
#include "cublas_v2.h"
#define CHECK(call) { cudaError_t e = call; if (e != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(e)); exit(EXIT_FAILURE); } }
template <int BLOCK> __global__ void run(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= 2;
}
float expected(float x) { return 2 * x; }
__host__ void launch(float* x, int n) { run<256><<<(n + 255) / 256, 256>>>(x, n); }
static cublasHandle_t handle;
int main(int argc, char** argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  std::vector<float> host(n, 1.0f), back(n);
  for (auto& x : host) x = rand() / (float)RAND_MAX;
  float* x;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  const auto start = std::chrono::steady_clock::now();
  launch(x, n);
  CHECK(cudaDeviceSynchronize());
  const std::chrono::duration<float> took = std::chrono::steady_clock::now() - start;
  cublasCreate(&handle);
  CHECK(cudaMemcpy(back.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost));
  std::string name = argc > 2 ? argv[2] : "run";
  std::cout << name << ": " << took.count() << " s, " << back[0] << " " << expected(host[0]) << std::endl;
  printf("%d\n", n);
  cudaFree(x);
  return 0;
}
)";

TEST_F(PlainCuda, TheHostsPartOfAProgramIsIgnoredWhereTheFileSaysSo) {
  ImageRequest request = request_for(whole_program, {"run<128>"});
  EXPECT_THAT(refusal_of(request), HasSubstr("host_code = \"ignore\""));
  request.ignores_host_code = true;
  const CompileOutcome outcome = outcome_of(request);
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  ImageRequest alone = request_for(R"(template <int BLOCK> __global__ void run(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= 2;
})",
                                   {"run<128>"});
  const CompileOutcome of_kernel = outcome_of(alone);
  EXPECT_EQ(outcome.image->functions.front().usage, of_kernel.image->functions.front().usage);
  const std::string code(reinterpret_cast<const char*>(outcome.image->code->data()), outcome.image->code->size());
  for (const char* of_host : {".text.main", "expected", "launch"}) EXPECT_THAT(code, Not(HasSubstr(of_host)));
}

TEST_F(PlainCuda, AKernelThatCallsIgnoredHostCodeIsRefused) {
  for (const char* call : {"cudaMalloc(&x, 4)", "x[0] = rand()", "child<<<1, 1>>>()"}) {
    ImageRequest request =
        request_for("#include <cstdlib>\n__global__ void child() {}\n__global__ void run(float* x) { " +
                        std::string(call) + "; }\n",
                    {"run"});
    request.ignores_host_code = true;
    EXPECT_THAT(refusal_of(request), HasSubstr("attune: the kernel calls host code")) << call;
  }
}

TEST_F(PlainCuda, AssertsThatMakeProductsWaitAreNamed) {
  const char* source = R"(
__global__ void run(float* out, unsigned long long a, unsigned long long b, int n) {
  float d[4] = {0, 0, 0, 0};
  asm volatile("wgmma.fence.sync.aligned;");
  for (int i = 0; i < n; ++i) {
    asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, "
                 "%4, %5, p, 1, 1, 0, 0;}" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a + i), "l"(b));
    assert(a != i);
  }
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
)";
  const std::string advice = "add -DNDEBUG to [compile] options";
  const CompileOutcome with = outcome_of(request_for(source, {"run"}, "sm_90a"));
  EXPECT_EQ(with.verdict, Verdict::ok) << with.log;
  if (with.log.find("serialized due to") == std::string::npos) GTEST_SKIP() << "this ptxas does not say so";
  EXPECT_THAT(with.log, HasSubstr(advice));
  EXPECT_THAT(outcome_of(request_for(source, {"run"}, "sm_90a", {"-DNDEBUG"})).log, Not(HasSubstr(advice)));
}

}  // namespace
}  // namespace attune
