// What is read of CUDA files.
#include "draft/cuda_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace attune::draft {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Returns a declaration as one line: NAME<type name=default,...>(type*name,...)[bound].
std::string shown(const KernelFunction& kernel) {
  std::string text = kernel.name + "<";
  for (const TemplateParameter& parameter : kernel.template_parameters)
    text += parameter.type + " " + parameter.name +
            (parameter.default_value.empty() ? "" : "=" + parameter.default_value) + ",";
  text += ">(";
  for (const FunctionParameter& parameter : kernel.parameters)
    text += (parameter.is_const ? "const " : "") + parameter.type +
            std::string(static_cast<std::size_t>(parameter.pointers), '*') + " " + parameter.name + ",";
  text += ")";
  return text + (kernel.launch_bound.empty() ? "" : "[" + kernel.launch_bound + "]");
}

std::vector<std::string> kernels_of(const std::string& text) {
  std::vector<std::string> kernels;
  for (const KernelFunction& kernel : read_cuda_file(text).kernels) kernels.push_back(shown(kernel));
  return kernels;
}

TEST(CudaFile, DeclarationsAreReadInTheirManyForms) {
  const std::pair<const char*, const char*> cases[] = {
      {"__global__ void f(float* a, int n) {}", "f<>(float* a,int n,)"},
      {"__global__ void f();", ""},
      {"__global__ void f(void) {}", "f<>()"},
      {"static __global__ void f(const float *__restrict__ a) {}", "f<>(const float* a,)"},
      {"__global__ static void f(float const* const a, float* const b) {}", "f<>(const float* a,float* b,)"},
      {"extern \"C\" __global__ void f(unsigned long long int n = 3) {}", "f<>(unsigned long long int n,)"},
      {"extern \"C\" { __global__ void f(float a[], float**b) {} }", "f<>(float* a,float** b,)"},
      {"__global__ void f(float*, int, const unsigned int) {}", "f<>(float* ,int ,const unsigned int ,)"},
      {"__global__ void f(std::size_t n, Vec<float, 3> v, ns::Params p)", ""},
      {"__global__ void f(std::size_t n, Vec<float, 3> v, ns::Params p) {}",
       "f<>(std::size_t n,Vec<float, 3> v,ns::Params p,)"},
      {"__global__ void __launch_bounds__(256, 2) f(int n) {}", "f<>(int n,)[256]"},
      {"__global__ __launch_bounds__(BLOCK * 2)\nvoid f(\n  int n  // how many\n) {}", "f<>(int n,)[BLOCK * 2]"},
      {"[[maybe_unused]] __global__ __attribute__((noinline)) void f(int n) {}", "f<>(int n,)"},
      {"void __global__ f(volatile int* n) {}", "f<>(int* n,)"},
      {"namespace a { namespace b::c { inline namespace d { __global__ void f() {} } } }", "a::b::c::d::f<>()"},
      {"namespace { __global__ void f() {} }", "f<>()"},
      {"namespace a { struct S { int x; }; int y = 3; int z[] = {1, 2}; } __global__ void f() {}", "f<>()"},
      {"template <typename T, int BLOCK = 256, bool FAST = (3 > 2), class U, auto K, Order O, unsigned N>\n"
       "__global__ void f(T* a) {}",
       "f<typename T,int32 BLOCK=256,bool FAST=(3 > 2),typename U,int32 K, O,uint32 N,>(T* a,)"},
      {"template <template <typename> class Op, typename... Ts> __global__ void f(Op<int> op) {}",
       "f< Op, Ts,>(Op<int> op,)"},
      {"#define KERNEL __global__ void\nKERNEL f(int n) {}", ""},
      {"// __global__ void g() {}\n/* __global__ void h() {} */ const char* s = \"__global__ void i() {}\";\n"
       "__global__ void f() {}",
       "f<>()"},
      {"#if 0\n__global__ void g() {}\n#else\n__global__ void f() {}\n#endif", "f<>()"},
      {"#if 1\n__global__ void f() {\n#else\n__global__ void f(int n) {\n#endif\n}", "f<>()"},
      {"#ifdef A\n__global__ void f(int a) {\n#else\n__global__ void f(int b) {\n#endif\n}", "f<>(int a,)"},
      {"__global__ void f(int n);\n__global__ void f(int count) { }", "f<>(int count,)"},
      {"template <typename T> __global__ void f(T* a) {}\ntemplate <> __global__ void f<int>(int* a) {}",
       "f<typename T,>(T* a,)"},
      {"__global__ void f(int n) { /* not closed", "f<>(int n,)"},
  };
  for (const auto& [text, wanted] : cases) {
    const std::vector<std::string> kernels = kernels_of(text);
    EXPECT_EQ(kernels.empty() ? "" : kernels.front(), wanted) << text;
    EXPECT_LE(kernels.size(), 1u) << text;
  }
}

TEST(CudaFile, ConstantsMacrosAndNamesOfTypesAreRead) {
  const CudaFile file = read_cuda_file(
      "#define TILE 16\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n#define GUARD\n#define REAL float\n"
      "constexpr int ROWS = TILE / 2;\nstatic const unsigned N = 1 << 20;\nint changed = 3;\nusing real = double;\n"
      "typedef float DATA_TYPE;\ntypedef unsigned long long int Key;\ntypedef struct { int x; } Body;\n"
      "#if 0\n#define TILE 3\n#endif\n");
  EXPECT_THAT(file.macros, ElementsAre("TILE", "REAL"));
  const std::pair<const char*, const char*> wanted[] = {
      {"TILE", "16"},    {"ROWS", "TILE / 2"}, {"N", "1 << 20"},       {"changed", "3"},
      {"REAL", "float"}, {"real", "double"},   {"DATA_TYPE", "float"}, {"Key", "unsigned long long int"}};
  for (const auto& [name, value] : wanted) EXPECT_THAT(file.definitions.at(name), ElementsAre(value)) << name;
  EXPECT_FALSE(file.definitions.contains("Body"));
  EXPECT_FALSE(file.has_host_code);
}

TEST(CudaFile, WhatAKernelCallsIsReached) {
  const CudaFile file = read_cuda_file(
      "#define LOOP(i, n) for (int i = gridDim.x; i < n; ++i)\n__device__ float table[2] = {1, 2};\n"
      "__device__ int lane();\ntemplate <int N> __device__ __forceinline__ int first(int a = g(2)) { return second(a); "
      "}\n"
      "__host__ __device__ int second(int a) { return blockDim.x; }\n__device__ int other() { return blockDim.z; }\n"
      "__global__ void f(int n) { LOOP(i, n) first<2>(i); }\n__global__ void g(int n) { table[n] = 1; }\n");
  ASSERT_EQ(file.kernels.size(), 2u);
  const KernelFunction f = with_helpers(file, file.kernels[0]), g = with_helpers(file, file.kernels[1]);
  for (const char* const word : {"LOOP", "gridDim", "second", "blockDim"}) EXPECT_TRUE(f.mentions(word)) << word;
  EXPECT_FALSE(f.mentions("z")) << "f does not call other()";
  EXPECT_FALSE(g.mentions("blockDim"));
}

TEST(CudaFile, TheCounterOfALoopIsNoted) {
  const CudaFile file = read_cuda_file(
      "void run(int n) { for (int k = 0, e = 2; k < n; k++) for (s = n; s > 0; s >>= 1) for (int m : {1, 2}) "
      "f<<<1, 2>>>(k, s, m); }");
  ASSERT_EQ(file.launches.size(), 1u);
  const Definitions& locals = file.launches[0].locals;
  EXPECT_TRUE(locals.contains("++k") && locals.contains("++s"));
  for (const char* const other : {"++e", "++m", "++n", "++int"}) EXPECT_FALSE(locals.contains(other)) << other;
}

TEST(CudaFile, LaunchesAreReadWithTheVariablesAboveThem) {
  const CudaFile file = read_cuda_file(
      "class Solver { void run(float* a, int n) {\n"
      "  const int threads = 256; int blocks = (n + threads - 1) / threads, other = 3;\n"
      "  dim3 grid(blocks, 2), block = dim3(threads, CEIL_DIV(n, 2)); other += 1;\n"
      "  cudaMalloc((void**)&a, n * sizeof(float));\n"
      "  std::cout << 1 << 2; ns::f<float, 3 * 2><<<grid, block, n * sizeof(float), stream>>>(a, g(n, 1));\n"
      "  f<<<1, 2>>>();\n} };");
  ASSERT_EQ(file.launches.size(), 2u);
  const Launch& launch = file.launches[0];
  EXPECT_EQ(launch.kernel, "f");
  EXPECT_THAT(launch.template_arguments, ElementsAre("float", "3 * 2"));
  EXPECT_THAT(launch.grid, ElementsAre("blocks", "2"));
  EXPECT_THAT(launch.block, ElementsAre("threads", "CEIL_DIV(n, 2)"));
  EXPECT_EQ(launch.shared, "n * sizeof(float)");
  EXPECT_THAT(launch.arguments, ElementsAre("a", "g(n, 1)"));
  EXPECT_THAT(launch.locals.at("blocks"), ElementsAre("(n + threads - 1) / threads"));
  EXPECT_THAT(launch.locals.at("grid"), ElementsAre("blocks", "2"));
  EXPECT_THAT(launch.locals.at("block"), ElementsAre("threads", "CEIL_DIV(n, 2)"));
  EXPECT_THAT(launch.locals.at("&a"), ElementsAre("n * sizeof(float)"));
  EXPECT_FALSE(launch.locals.contains("other")) << "it was changed";
  EXPECT_THAT(file.launches[1].arguments, IsEmpty());
  EXPECT_TRUE(file.has_host_code);
}

TEST(CudaFile, HostCodeIsAMainACallOfTheRuntimeOrALaunch) {
  for (const char* const text :
       {"int main() { return 0; }", "void f() { cudaFree(0); }", "void f() { g<<<1, 2>>>(); }"})
    EXPECT_TRUE(read_cuda_file(text).has_host_code) << text;
  EXPECT_FALSE(read_cuda_file("__device__ int main_sum(int a) { return a; } // cudaFree()").has_host_code);
}

TEST(CudaFile, AMacroThatHidesKernelsIsNamed) {
  EXPECT_EQ(read_cuda_file("#define KERNEL(name) __global__ void name\nKERNEL(f)(int n) {}").hidden_by, "KERNEL");
}

// Each would take minutes, or the stack, if anything were read again and again.
TEST(CudaFile, AnyBytesAreReadInTime) {
  const auto many = [](std::string_view text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  for (const char* const repeated : {"(",
                                     "{",
                                     "<",
                                     "a = ",
                                     "dim3 a(",
                                     "f<<<",
                                     "__global__ void f(",
                                     "#define A 1\n",
                                     "#if 0\n",
                                     "namespace a {",
                                     "template <",
                                     "\"",
                                     "/*",
                                     "}",
                                     "\xff\x00",
                                     "a[",
                                     "cudaMalloc(",
                                     "__device__ ",
                                     "__device__ f(",
                                     "__device__ int f() {",
                                     "typedef ",
                                     "for (",
                                     "for (;;"})
    read_cuda_file("void g() { " + many(repeated, 200'000));
  EXPECT_THAT(read_cuda_file("").kernels, IsEmpty());
}

}  // namespace
}  // namespace attune::draft
