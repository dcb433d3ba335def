// Front matter that is drafted: attune reads it, it holds what the file says, and marks what is guessed.
#include "draft/draft.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"

namespace attune::draft {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string draft_of(const std::string& code, const std::optional<std::string>& kernel = std::nullopt) {
  const CudaFile file = read_cuda_file(code);
  return drafted(file, chosen_kernel(file, kernel, "x.cu"), "x.cu");
}

// Reads the front matter as attune does; of files with host code less the key for it.
KernelSpec spec_of(const std::string& code) {
  std::string text = draft_of(code);
  const std::string key = "host_code = \"ignore\"\n", include = "#include \"x.cu\"\n";
  if (const std::size_t at = text.find(key); at != std::string::npos) text.erase(at, key.size());
  text.replace(text.find(include), include.size(), code);
  return read_kernel_text(text, "x.cu");
}

const std::string copy =
    "__global__ void copy(float* out, const float* in, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = in[i];\n}\n";

TEST(Draft, HasWhatTheFileSays) {
  const std::string text =
      draft_of(copy +
               "int main() {\n  int count = 1 << 20, threads = 128; float *a, *b;\n"
               "  cudaMalloc(&a, count * sizeof(float)); cudaMalloc(&b, sizeof(float) * count);\n"
               "  copy<<<(count + threads - 1) / threads, threads, threads * 4>>>(a, b, count);\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("name = \"copy\"\n"), HasSubstr("n = { size = 1048576, host = 4096 }\n"),
                          HasSubstr("BLOCK = [128, 64, 256, 32]  # CHECK: "), HasSubstr("entry = \"copy\"\n"),
                          HasSubstr("grid = [\"ceil_div(n, BLOCK)\"]\n"), HasSubstr("block = [\"BLOCK\"]\n"),
                          HasSubstr("shared = \"BLOCK * 4\"\n")));
  EXPECT_THAT(text, AllOf(HasSubstr("arguments = [\"out\", \"in\", \"n\"]\n"),
                          HasSubstr("out = { type = \"float\", size = \"n\", role = \"out\" }\n"),
                          HasSubstr("in = { type = \"float\", size = \"n\", role = \"in\" }\n"),
                          HasSubstr("n = { type = \"int32\" }\n"), HasSubstr("host_code = \"ignore\"\n"),
                          HasSubstr("*/\n#include \"x.cu\"\n"), Not(HasSubstr("defines"))));
  EXPECT_EQ(marks_in(text).size(), 2u) << "the block and the tolerance: " << text;
}

// Each text is read by attune without an error, and its draft has these lines.
TEST(Draft, IsReadByAttuneAndMarksWhatItGuesses) {
  struct Case {
    std::string code;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      {copy,
       {"n = { size = 16777216, host = 4096 }  # CHECK: ", "block = [\"BLOCK\"]  # CHECK: ",
        "grid = [\"ceil_div(n, BLOCK)\"]  # CHECK: ", "size = \"n\", role = \"out\" }  # CHECK: "}},
      {"template <typename T, int BLOCK_SIZE = 128, bool FAST = true>\n__global__ void f(T* out, const T* in, size_t "
       "n) {\n"
       "  out[blockIdx.x * BLOCK_SIZE + threadIdx.x] = in[0]; }",
       {"T = [\"float\", \"double\"]  # CHECK: ", "BLOCK_SIZE = [128, 64, 256, 32]\n", "FAST = [true, false]\n",
        "entry = \"f<T, BLOCK_SIZE, FAST>\"\n", "block = [\"BLOCK_SIZE\"]", "n = { type = \"uint64\" }\n",
        "relative = \"64 * epsilon(T)\""}},
      {"template <class T, int N>\n__global__ void f(T* a, int n) { a[threadIdx.x] += N; }\nvoid g(double* a, float* "
       "b) {\n"
       "  f<double, 8><<<1, 64>>>(a, 100); f<float, 2><<<1, 64>>>(b, 100); }",
       {"T = [\"double\", \"float\"]\n", "N = [8, 4, 16, 2]\n", "n = { size = 100 }\n", "block = [\"64\"]\n",
        "role = \"inout\" }  # CHECK: ", "grid = [\"1\"]  # CHECK: it depends on nothing"}},
      {"#define TILE_DIM 16\n#define RADIUS 3\n__global__ void f(float* out, int w, int h) {\n"
       "  out[(blockIdx.y * TILE_DIM + threadIdx.y) * w + blockIdx.x * TILE_DIM + threadIdx.x] = RADIUS; }\n"
       "void g(float* o, int a, int b) { dim3 t(TILE_DIM, TILE_DIM); dim3 grid((a + t.x - 1) / t.x, (b + 15) / "
       "TILE_DIM);\n"
       "  f<<<grid, t>>>(o, a, b); }",
       {"TILE_DIM = [16, 8, 32, 4]\n", "defines = \"parameters\"\n", "block = [\"TILE_DIM\", \"TILE_DIM\"]\n",
        "size = \"w * h\"", "grid = [\"ceil_div(w, TILE_DIM)\", "}},
      {"constexpr int TILE = 8;\n__global__ void f(float* out, int n) { out[blockIdx.x * TILE + threadIdx.x] = 1; }\n"
       "void g(float* o, int n) { f<<<(n + TILE - 1) / TILE, TILE>>>(o, n); }",
       {"a constant of C++ has to become a #define", "grid = [\"ceil_div(n, 8)\"]\n", "block = [\"8\"]\n"}},
      {"__global__ void __launch_bounds__(128) f(int* out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }",
       {"BLOCK = [128, 64, 32]  # CHECK: "}},
      {"__global__ void __launch_bounds__(256) f(int* out, int w, int h) { out[blockIdx.x * blockDim.x + blockIdx.y] = "
       "0; }\n"
       "void g(int* o, int w, int h) { dim3 b(32, 8); f<<<dim3(w / 32, h / 8), b>>>(o, w, h); }",
       {"it allows 256 threads in a block", "BLOCK_X = [32, 16, 64, 8]",
        "grid = [\"w / BLOCK_X\", \"h / BLOCK_Y\"]\n"}},
      {"template <int BLOCK> __global__ void f(int* out, int n) { out[blockIdx.x * BLOCK + threadIdx.x] = 0; }\n"
       "void g(int* o, int n) { f<256><<<(n + 255) / 256, 256>>>(o, n); }",
       {"BLOCK = [256, 128, 512, 64]\n", "block = [\"BLOCK\"]  # CHECK: 256 in the launch is taken to be BLOCK\n",
        "grid = [\"ceil_div(n, BLOCK)\"]\n"}},
      {"#define B 128\ntemplate <int BLOCK> __global__ void f(int* out, int n) { out[blockIdx.x * BLOCK + threadIdx.x] "
       "= 0; }\n"
       "void g(int* o, int n) { const int THREADS = B; f<THREADS><<<(n + THREADS - 1) / THREADS, THREADS>>>(o, n); }",
       {"BLOCK = [128, 64, 256, 32]\n", "block = [\"BLOCK\"]\n", "grid = [\"ceil_div(n, BLOCK)\"]\n"}},
      {"#define BLOCK_SIZE 128\ntemplate <int N> __global__ void f(int* out, int n) { out[threadIdx.x] = N; }\n"
       "void g(int* o, int n) { f<BLOCK_SIZE><<<1, BLOCK_SIZE>>>(o, n); }",
       {"N = [128, 64, 256, 32]\n", "entry = \"f<N>\"", "block = [\"N\"]\n"}},
      {"#define N 16384\n__global__ void f(int* out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 0; }\n"
       "void g(int* o) { cudaMalloc((void**)&o, N * sizeof(int)); f<<<N / 256, 256>>>(o); }",
       {"grid = [\"16384 / BLOCK\"]", "size = \"16384\", role = \"out\" }\n"}},
      {"struct P { int a; };\n__global__ void f(P p, P* out, void* v, float4* q, __half h, bool b, float alpha, int "
       "seed, "
       "int n) { out[0].a = 1; }",
       {"p = { type = \"uint8\", size = 16, role = \"in\", pass = \"value\" }  # FILL IN: ",
        "out = { type = \"uint8\", size = \"16 * ", "# FILL IN: bytes, with those of one P in place of 16",
        "v = { type = \"uint8\"", "q = { type = \"float4\"",
        "h = { type = \"half\", fill = \"1\" }  # CHECK: ", "b = { type = \"bool\"",
        "alpha = { type = \"float\", fill = \"1\" }  # CHECK: ", "seed = { size = 512, host = 32 }  # CHECK: "}},
      {"__global__ void f(float* c, const float* a, const float* b, int M, int N, int K) { c[threadIdx.x] = a[0]; }",
       {"c = { type = \"float\", size = \"M * N * K\", role = \"out\" }  # FILL IN: ",
        "M = { size = 512, host = 32 }"}},
      {"__global__ void f(float* sum, const float* in, int n) { atomicAdd(sum, in[threadIdx.x]); }",
       {"sum = { type = \"float\", size = \"n\", role = \"inout\" }  # CHECK: "}},
      {"#define N 1024\n__global__ void f(float* out) { if (threadIdx.x < N) out[threadIdx.x] = 1; }",
       {"out = { type = \"float\", size = \"n\", role = \"out\" }  # CHECK: its size"}},
      {"using real = float;\n__global__ void f(real* out, real* in) { extern __shared__ real s[]; out[threadIdx.x] = "
       "in[0]; }",
       {"in = { type = \"float\", size = \"n\", role = \"in\" }  # CHECK: ", "shared = \"1024\"  # FILL IN: ",
        "n = { size = 16777216, host = 4096 }  # CHECK: "}},
      {"enum class Order { a, b };\ntemplate <Order O> __global__ void f(int* out, int n) { out[threadIdx.x] = 1; }",
       {"entry = \"f<0>\"  # FILL IN: a template argument in place of 0"}},
      {"template <typename Op> __global__ void f(int* out, Op op, int n) { out[threadIdx.x] = op(1); }\n"
       "struct Plus { int x; };\nvoid g(int* o) { f<Plus><<<unknown(3), 32>>>(o, Plus(), 7); }",
       {"entry = \"f<Plus>\"\n", "# FILL IN: the file launches with `unknown(3)`"}},
      {"namespace a::b { __global__ void f(int* device, int floor, int) { device[threadIdx.x] = 1; } }",
       {"entry = \"a::b::f\"", "name = \"f\"", "argument_3 = { type = \"int32\", fill = "}},
      {"__global__ void f(int* out, int n, int n) { out[blockIdx.y] = n; }",
       {"n_ = { type = \"int32\", fill = \"1\" }"}},
      {"struct P { int a; };\n__global__ void f(P* out, int n) { out[blockIdx.x * blockDim.x + blockIdx.y].a = n; }",
       {"grid = [\"ceil_div(n, BLOCK)\"]", "role = \"inout\" }  # FILL IN: "}},
      {"#define BLOCK 64\ntemplate <int ITEMS> __global__ void f(int* out, int n) { out[threadIdx.x * ITEMS + BLOCK] = "
       "1; }",
       {"BLOCK = [64, 32, 128, 16]\n", "ITEMS_ = [16, 8, 32, 4]  # FILL IN: ", "entry = \"f<ITEMS_>\""}},
  };
  for (const Case& c : cases) {
    const std::string text = draft_of(c.code);
    for (const std::string& line : c.lines) EXPECT_THAT(text, HasSubstr(line)) << c.code;
    EXPECT_NO_THROW(spec_of(c.code)) << text;
  }
}

// What users met in programs of others.
TEST(Draft, ReadsProgramsAsTheyAreWritten) {
  struct Case {
    std::string code;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      // A helper asks for blockDim; one element is allocated; only a helper reads `in`.
      {"__device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }\n__device__ int sum_of(int* in, int n);\n"
       "__global__ void f(int* sum, int* in, int n) { if (at() < n) atomicAdd(sum, sum_of(in, n)); }\n"
       "int main() { int n = 1 << 13, T = 256, G = (n + T - 1) / T; int *s, *d; cudaMallocManaged(&s, sizeof(int));\n"
       "  cudaMallocManaged(&d, n * sizeof(int)); f<<<G, T>>>(s, d, n); }",
       {"BLOCK = [256, 128, 512, 64]  # CHECK: ", "grid = [\"ceil_div(n, BLOCK)\"]\n", "block = [\"BLOCK\"]\n",
        "sum = { type = \"int32\", size = \"1\", role = \"inout\" }  # CHECK: its role: in, out or inout\n",
        "in = { type = \"int32\", size = \"n\", role = \"inout\" }  # CHECK: its role: in, out or inout\n"}},
      // The host counts k; the grid is rounded up in floating point.
      {"typedef float DATA_TYPE;\n#define BLOCK_X 256\n"
       "__global__ void f(DATA_TYPE* q, int k, int m, int n) { q[blockIdx.x * blockDim.x + threadIdx.x] = k; }\n"
       "void g(int m, int n) { dim3 block(BLOCK_X, 1); dim3 grid((size_t)ceil(((float)n) / ((float)BLOCK_X)), 1); "
       "float* "
       "q;\n"
       "  cudaMalloc((void**)&q, sizeof(DATA_TYPE) * m * n); int k;\n"
       "  for (k = 0; k < n; k++) f<<<grid, block>>>(q, k, m, n); }",
       {"[problem]\nm = ", "grid = [\"ceil_div(n, BLOCK)\"]\n",
        "q = { type = \"float\", size = \"m * n\", role = \"out\" }\n",
        "k = { type = \"int32\", fill = \"0\" }  # CHECK: its value while tuning; the host counts it in a loop\n"}},
      // The grid depends on what is counted: a size. What cannot be said keeps the size that the launch names.
      {"__global__ void f(float* a, int m, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = m; }\n"
       "void g(float* a, int m) { for (int n = 64; n < 4096; n *= 2) { int blocks = pick(n); f<<<blocks, 256>>>(a, m, "
       "n); "
       "} }",
       {"n = { size = 512, host = 32 }  # CHECK: ",
        "grid = [\"ceil_div(n, BLOCK)\"]  # FILL IN: the file launches with `blocks`"}},
      {"template <typename T, int N> struct Pack { T e[N]; };\n"
       "template <typename T, int N> __global__ void f(Pack<T, N>* a, Box<3>* b, int n) { a[0].e[0] = 1; }\n"
       "void g() { f<float, 2><<<1, 2>>>(p, q, 3); }",
       {"a = { type = \"T\", size = \"n\", role = \"inout\" }  # FILL IN: its size in T, of which Pack<T, N> seems to "
        "be made; its role: in, out or inout\n",
        "b = { type = \"uint8\", size = \"16 * n\", ",
        "# FILL IN: bytes, with those of one Box<3> in place of 16; its role; the kernel seems only to read it\n"}},
      {"__global__ void f(float* a, float lambda, double b, float c, float d, int n) { a[threadIdx.x] = lambda; }\n"
       "int main() { constexpr float lambda = 0.12f; const double b = -1e-3; f<<<1, 64>>>(a, lambda, b, 2.5F, x(), 9); "
       "}",
       {"[parameters]\n# FILL IN: no parameter was found", "lambda = { type = \"float\", fill = \"0.12\" }\n",
        "b = { type = \"double\", fill = \"-1e-3\" }\n", "c = { type = \"float\", fill = \"2.5\" }\n",
        "d = { type = \"float\", fill = \"1\" }  # CHECK: its value while tuning\n"}},
  };
  for (const Case& c : cases) {
    const std::string text = draft_of(c.code);
    for (const std::string& line : c.lines) EXPECT_THAT(text, HasSubstr(line)) << c.code;
    EXPECT_NO_THROW(spec_of(c.code)) << text;
  }
}

TEST(Draft, TakesTheKernelThatIsNamedLaunchedOrAlone) {
  const std::string two =
      "__global__ void first(int* a, int n) { a[0] = 1; }\n"
      "namespace x { __global__ void second(int* b, int n) { b[0] = 1; } }\n";
  EXPECT_THAT(draft_of(two + "void g() { x::second<<<1, 2>>>(p, 3); first<<<1, 2>>>(p, 3); }"),
              HasSubstr("\"x::second\""));
  EXPECT_THAT(draft_of(two, "second"), HasSubstr("entry = \"x::second\""));
  EXPECT_THAT(draft_of(two, "x::second"), HasSubstr("entry = \"x::second\""));
  const auto message = [](const std::string& code, const std::optional<std::string>& name) -> std::string {
    try {
      return draft_of(code, name);
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(message(two, std::nullopt), AllOf(HasSubstr("--kernel"), HasSubstr("first, x::second")));
  EXPECT_THAT(message(two, "secnd"), HasSubstr("did you mean `second`?"));
  EXPECT_THAT(message("int main() {}", std::nullopt), HasSubstr("x.cu has no kernel"));
  EXPECT_THAT(message("#define K(x) __global__ void x\nK(f)() {}", std::nullopt), HasSubstr("the macro K hides"));
}

// attune has room for 256 arguments, and as many parameters: a draft with more would be refused.
TEST(Draft, IsAnErrorWhereAttuneHasNoRoomForTheArguments) {
  const auto kernel = [](int count) {
    std::string list = "float* a";
    for (int i = 1; i < count; ++i) list += ", float b" + std::to_string(i);
    return "__global__ void f(" + list + ") { a[threadIdx.x] = b1; }";
  };
  EXPECT_NO_THROW(spec_of(kernel(256)));
  try {
    draft_of(kernel(257));
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("f has 257 arguments"), HasSubstr("room for 256: pass a structure")));
  }
}

TEST(Draft, MakesAParameterOfABlockThatTheCallerChooses) {
  const std::string text = draft_of(copy +
                                    "void run(float* a, const float* b, int count, int block_size) {\n"
                                    "  const int blocks = ceil_div(count, block_size);\n"
                                    "  copy<<<blocks, block_size>>>(a, b, count);\n}\n");
  EXPECT_THAT(text, AllOf(HasSubstr("BLOCK = [256, 128, 512, 64]  # CHECK: "), HasSubstr("block = [\"BLOCK\"]\n"),
                          HasSubstr("grid = [\"ceil_div(n, BLOCK)\"]\n")));
}

TEST(Draft, NeitherEndsItsCommentNorHoldsControlCharacters) {
  const std::string text = draft_of(
      "__global__ void f(int* a, int n) { a[0] = 1; }\n"
      "void g() { f<<<n */**/ /2, \"*/\\\"\x1b\xff\">>>(p, 3); }");
  EXPECT_EQ(text.find("*/"), text.rfind("*/"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const CudaFile file = read_cuda_file(copy);
  for (const char* const name : {"a\"b.cu", "a\nb.cu", "a*/b.cu"})
    EXPECT_THROW(drafted(file, file.kernels[0], name), UsageError) << name;
}

TEST(Draft, MarksAreListedWithTheirLines) {
  const std::vector<Mark> marks =
      marks_in("a = 1\nb = \"# x\"  # CHECK: why\n# FILL IN: it\nc = [\"# 2\"]  # FILL IN: two\n");
  ASSERT_EQ(marks.size(), 3u);
  EXPECT_EQ(marks[0].line, 2u);
  EXPECT_EQ(marks[0].text, "b: CHECK: why");
  EXPECT_EQ(marks[1].text, "FILL IN: it");
  EXPECT_EQ(marks[2].text, "c: FILL IN: two");
}

}  // namespace
}  // namespace attune::draft
