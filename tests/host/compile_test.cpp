// Compiling and loading: what becomes of good and bad source, alone and in batches.
#include <string>
#include <thread>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

class HostCompile : public test::HostTest {
 protected:
  CompileOutcome compile_text(const std::string& text, std::vector<std::string> expressions = {"run"}) const {
    return compile(request(text, std::move(expressions)));
  }
};

TEST_F(HostCompile, NamesFileAndLineOfAnError) {
  const CompileOutcome outcome = compile_text(
      "\n// extern __shared__ int a[];\n__global__ void run(int* out) {\n  extern __shared__\n  int tile[];\n  tile[0] "
      "= 1;\n  out[0] = undeclared;\n}\n");
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_FALSE(outcome.image);
  EXPECT_THAT(outcome.log, AllOf(HasSubstr("kernel.cu:7"), HasSubstr("undeclared")));
  ImageRequest with_header = request("#include \"tools/inner.cuh\"\n__global__ void run(int* out) {}", {"run"});
  with_header.source.headers = {{"tools/inner.cuh", "#pragma once\n\nbroken\n"}};
  EXPECT_THAT(compile(with_header).log, HasSubstr("inner.cuh:3"));
}

TEST_F(HostCompile, NamesTheEntryThatDoesNotExist) {
  const CompileOutcome outcome =
      compile_text("template <int N> __global__ void run(int* out) { *out = N; }", {"walk<1>"});
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, HasSubstr("walk"));
}

TEST_F(HostCompile, RefusesAFunctionThatIsDeclaredOnly) {
  const CompileOutcome outcome =
      compile_text("__device__ int elsewhere(int);\n__global__ void run(int* out) { *out = elsewhere(1); }");
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, HasSubstr("elsewhere"));
}

TEST_F(HostCompile, KeepsABadInstantiationFromItsNeighbours) {
  const std::string source =
      "template <int N> __global__ void run(int* out) { static_assert(N != 5, \"not five\"); *out = N; }";
  std::vector<ImageRequest> requests;
  for (int n = 0; n < 20; ++n) requests.push_back(request(source, {"run<" + std::to_string(n) + ">"}));
  requests.push_back(request("__global__ void run(int* out) { syntax error }", {"run"}));
  requests.push_back(request("__global__ void run(int* out) { *out = 7; }", {"run"}));
  const std::vector<CompileOutcome> outcomes = device().compiler()->compile(requests);
  ASSERT_EQ(outcomes.size(), 22u);
  for (int n = 0; n < 20; ++n) {
    SCOPED_TRACE(n);
    EXPECT_EQ(outcomes[n].verdict, n == 5 ? Verdict::compile_error : Verdict::ok) << outcomes[n].log;
    EXPECT_EQ(outcomes[n].image.has_value(), n != 5);
    if (n == 5) {
      EXPECT_THAT(outcomes[n].log, HasSubstr("not five"));
    } else {
      EXPECT_NE(outcomes[n].image->find("run<" + std::to_string(n) + ">"), nullptr);
    }
  }
  EXPECT_EQ(outcomes[20].verdict, Verdict::compile_error);
  EXPECT_EQ(outcomes[21].verdict, Verdict::ok);
}

TEST_F(HostCompile, TellsOfBrokenSourceWithoutTryingEveryInstantiation) {
  std::vector<ImageRequest> requests;
  for (int n = 0; n < 12; ++n)
    requests.push_back(
        request("template <int N> __global__ void run(int* out) { *out = N }\n", {"run<" + std::to_string(n) + ">"}));
  const auto begin = std::chrono::steady_clock::now();
  for (const CompileOutcome& outcome : device().compiler()->compile(requests)) {
    EXPECT_EQ(outcome.verdict, Verdict::compile_error);
    EXPECT_THAT(outcome.log, HasSubstr("kernel.cu:1"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST_F(HostCompile, SharesOneObjectInABatch) {
  std::vector<ImageRequest> requests;
  for (int n = 0; n < 6; ++n)
    requests.push_back(
        request("template <int N> __global__ void run(int* out) { *out = N; }", {"run<" + std::to_string(n) + ">"}));
  const std::vector<CompileOutcome> outcomes = device().compiler()->compile(requests);
  EXPECT_EQ(outcomes[0].image->code, outcomes[5].image->code);
  EXPECT_GT(outcomes[0].milliseconds, 0);
}

TEST_F(HostCompile, RewritesSharedMemoryOfHeadersToo) {
  ImageRequest wanted = request(
      "#include \"pool.cuh\"\n__global__ void run(int* out) { pool()[0] = 5; static_pool()[0] = 6; *out = pool()[0] + "
      "static_pool()[0]; }",
      {"run"});
  wanted.source.headers = {{"pool.cuh",
                            "__device__ int* pool() { extern __shared__ int memory[]; return memory; }\n__device__ "
                            "int* static_pool() { static __shared__ int memory[4]; return memory; }\n"}};
  const CompileOutcome outcome = compile(wanted);
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  LoadOutcome loaded = device().load(*outcome.image);
  Array<int> out(device(), 1);
  ASSERT_TRUE(launch(*loaded.module, "run", shape(1, 1, 16), {out.parameter()}).ok());
  EXPECT_EQ(out[0], 11);
}

TEST_F(HostCompile, MeasuresStaticSharedMemoryOfEachEntry) {
  const CompileOutcome outcome = compile_text(R"(
template <int N> __device__ __noinline__ float* helper() { __shared__ float inner[N]; return inner; }
template <int N> __global__ void run(float* out) {
  __shared__ float tile[N][33];
  tile[threadIdx.x][0] = *out;
  helper<8>()[threadIdx.x] = 1;
  __syncthreads();
  *out = tile[0][threadIdx.x] + helper<8>()[0];
}
__global__ void none(float* out) { extern __shared__ float dynamic[]; *out = dynamic[0]; })",
                                              {"none", "run<16>", "run<32>"});
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_EQ(outcome.image->find("run<32>")->usage.shared_static, 32u * 33 * 4 + 32);
  EXPECT_EQ(outcome.image->find("run<16>")->usage.shared_static, 16u * 33 * 4 + 32);
  EXPECT_EQ(outcome.image->find("none")->usage.shared_static, 0u);
  EXPECT_EQ(outcome.image->find("none")->usage.registers, 0);
}

TEST_F(HostCompile, LimitsStaticSharedMemoryAsAGpuDoes) {
  const std::string source =
      "template <int N> __global__ void run(int* out) { __shared__ int tile[N]; tile[threadIdx.x] = *out; "
      "__syncthreads(); *out = tile[*out]; }";
  const std::vector<ImageRequest> requests = {request(source, {"run<12288>"}), request(source, {"run<12289>"})};
  const std::vector<CompileOutcome> outcomes = device().compiler()->compile(requests);
  EXPECT_EQ(outcomes[0].verdict, Verdict::ok) << outcomes[0].log;
  EXPECT_EQ(outcomes[1].verdict, Verdict::resources);
  EXPECT_THAT(outcomes[1].log, AllOf(HasSubstr("49156"), HasSubstr("49152"), HasSubstr("run<12289>")));
}

TEST_F(HostCompile, LoadsManyObjectsAtOnceAndLetsThemGo) {
  const CompileOutcome outcome =
      compile_text("__device__ int counter = 0;\n__global__ void run(int* out) { *out = ++counter; }");
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  Array<int> out(device(), 1);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<Module>> modules;
    for (int i = 0; i < 100; ++i) modules.push_back(device().load(*outcome.image).module);
    for (const auto& module : modules) {
      ASSERT_TRUE(launch(*module, "run", shape(1, 1), {out.parameter()}).ok());
      EXPECT_EQ(out[0], 1);
    }
  }
}

TEST_F(HostCompile, RefusesWhatItDoesNotOfferByName) {
  for (const auto& [line, name] : {std::pair("  asm volatile(\"mov.u32 %0, %clock;\" : \"=r\"(out[0]));", "asm"),
                                   {"  asm(\n\"bar.sync 0;\");", "asm"},
                                   {"  cudaMalloc(&out, 1);", "cudaMalloc"},
                                   {"  run<<<1, 32>>>(out);", "<<<"},
                                   {"  auto cluster = this_cluster();", "this_cluster"},
                                   {"  throw 1;", "throw"},
                                   {"#include <cub/cub.cuh>", "cub/cub.cuh"},
                                   {"  __nv_fp8_e4m3 x; (void)x;", "__nv_fp8_e4m3"}}) {
    SCOPED_TRACE(line);
    const CompileOutcome outcome = compile_text(std::string("__global__ void run(int* out) {\n") + line + "\n}");
    EXPECT_EQ(outcome.verdict, Verdict::compile_error);
    EXPECT_THAT(outcome.log, MatchesRegex("kernel.cu:[23]: error: `" + std::string(name) + "` is not supported on.*"));
  }
}

TEST_F(HostCompile, TakesWhatItDoesNotOfferWhereItCompilesNothing) {
  const CompileOutcome outcome = compile_text(
      "#ifdef __CUDA_ARCH__\n#include <cub/cub.cuh>\n#define GPU 1\n#endif\n__global__ void run(int* out) {\n"
      "#if GPU\n  asm(\"bar.sync 0;\");\n#else\n  out[0] = 1;  // asm\n#endif\n}");
  EXPECT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
}

// As for NVRTC: attune.cuh includes the header of half where the problem has it, and only there.
TEST_F(HostCompile, DeclaresHalfWhereTheProblemHasIt) {
  ImageRequest wanted =
      request("#include \"attune.cuh\"\ntemplate <typename T> __global__ void run(T* out) {}", {"run<__half>"});
  EXPECT_THAT(compile(wanted).log, HasSubstr("__half"));
  wanted.options = {"-DATTUNE_HALF"};
  EXPECT_EQ(compile(wanted).verdict, Verdict::ok);
}

TEST_F(HostCompile, CompilesFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<Verdict> verdicts(4, Verdict::timeout);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      verdicts[i] = compile_text("template <int N> __global__ void run(int* out) { *out = N; }",
                                 {"run<" + std::to_string(i) + ">"})
                        .verdict;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(verdicts, testing::Each(Verdict::ok));
}

}  // namespace
}  // namespace attune
