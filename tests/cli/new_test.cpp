// attune new: kernel files for CUDA files that have none, as somebody would go on with them.
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string matmul = R"(#include <cstdio>
#include <vector>
#define TILE_DIM 16
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
__global__ void matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N,
                       int K) {
  __shared__ float a[TILE_DIM][TILE_DIM], b[TILE_DIM][TILE_DIM];
  const int row = blockIdx.y * TILE_DIM + threadIdx.y, column = blockIdx.x * TILE_DIM + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < K; k += TILE_DIM) {
    a[threadIdx.y][threadIdx.x] = row < M && k + threadIdx.x < K ? A[row * K + k + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = column < N && k + threadIdx.y < K ? B[(k + threadIdx.y) * N + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE_DIM; ++i) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
    __syncthreads();
  }
  if (row < M && column < N) C[row * N + column] = sum;
}
int main() {
  int m = 1024, n = 2048, k = 512;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  float *d_a, *d_b, *d_c;
  cudaMalloc(&d_a, m * k * sizeof(float));
  cudaMalloc((void**)&d_b, sizeof(float) * k * n);
  size_t bytes = m * n * sizeof(float);
  cudaMalloc(&d_c, bytes);
  cudaMemcpy(d_a, a.data(), m * k * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(TILE_DIM, TILE_DIM);
  dim3 grid(CEIL_DIV(n, TILE_DIM), (m + block.y - 1) / block.y);
  matmul<<<grid, block>>>(d_a, d_b, d_c, m, n, k);
  cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost);
  std::printf("%f\n", c[0]);
}
)";

const std::string reduction = R"(namespace sums {
// Adds up in one block.
template <typename T, int BLOCK = 128>
__global__ void reduce(T* __restrict__ out, const T* __restrict__ in, size_t n) {
  __shared__ T part[BLOCK];
  T sum = 0;
  for (size_t i = threadIdx.x; i < n; i += BLOCK) sum += in[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned s = BLOCK / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = part[0];
}
}  // namespace sums
)";

const std::string stencil = R"(extern "C" __global__ void __launch_bounds__(256, 2)
    stencil(float* out, const float* in, int width, int height, float c) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float left = x > 0 ? in[y * width + x - 1] : 0, up = y > 0 ? in[(y - 1) * width + x] : 0;
  out[y * width + x] = c * (left + up) + in[y * width + x];
}
)";

const std::string two = R"(#define UNROLL 4
__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= 2;
}
__global__ void copied(double* out, const double* in, long n) {
  const long i = (blockIdx.x * (long)blockDim.x + threadIdx.x) * UNROLL;
  for (int k = 0; k < UNROLL; ++k)
    if (i + k < n) out[i + k] = in[i + k];
}
)";

class New : public Workbench {
 protected:
  // Expects that the draft, with what a person fills in, is checked and right.
  void expect_ok(const std::string& file, const Replacements& filled_in = {},
                 const std::string& device = "host") const {
    std::string text = content_of(file);
    for (const auto& [before, after] : filled_in) {
      const std::size_t at = text.find(before);
      ASSERT_NE(at, std::string::npos) << before << " is not in\n" << text;
      text.replace(at, before.size(), after);
    }
    const std::string path = write("filled_in.cu", text);
    const CommandResult result = attune({"check", path, "--device", device});
    EXPECT_EQ(result.code, 0) << result.err << result.out << text;
    EXPECT_THAT(result.out, HasSubstr("verdict: ok"));
  }
};

TEST_F(New, AMatrixProductWithMainIsReadFromItsLaunchAndAllocations) {
  const std::string out = output_of({"new", write("matmul.cu", matmul)});
  EXPECT_THAT(on_one_line(out),
              AllOf(HasSubstr("matmul.attune.cu for the kernel matmul"), HasSubstr("1 line to look at"),
                    HasSubstr("next: attune check "), HasSubstr("(without a GPU: --device sm_90)")));
  expect_to_fit(out);
  const std::string text = content_of(folder_ / "matmul.attune.cu");
  for (const char* const line :
       {"M = { size = 1024, host = 32 }\n", "TILE_DIM = [16, 8, 32, 4]\n", "block = [\"TILE_DIM\", \"TILE_DIM\"]\n",
        "grid = [\"ceil_div(N, TILE_DIM)\", \"ceil_div(M, TILE_DIM)\"]\n", "A = { type = \"float\", size = \"M * K\", ",
        "B = { type = \"float\", size = \"K * N\", ", "C = { type = \"float\", size = \"M * N\", role = \"out\" }\n",
        "host_code = \"ignore\"\ndefines = \"parameters\"\n", "#include \"matmul.cu\"\n"})
    EXPECT_THAT(text, HasSubstr(line));
}

TEST_F(New, AFileWithMainIsCompiledForAGpuAfterItsMarksWereLookedAt) {
  output_of({"new", write("matmul.cu", matmul)});
  const std::string file = (folder_ / "matmul.attune.cu").string();
  expect_ok(file,
            {{"TILE_DIM = [16, 8, 32, 4]", "TILE_DIM = [8, 16, 32]"},
             {"\"64 * epsilon('float')\"  #", "\"sqrt(K) * 4 * epsilon('float')\"  #"}},
            "sm_90");
  EXPECT_THAT(attune({"check", file, "--device", "sm_90"}).out, Not(HasSubstr("filled in")));
  std::string wide = matmul;
  wide.replace(wide.find("int M, int N,"), 6, "Shape shape, int M,");
  wide.replace(wide.find("d_c, m, n, k"), 4, "d_c, Shape(),");
  wide.insert(0, "struct Shape { int depth[3]; };\n");
  output_of({"new", write("wide.cu", wide)});
  const std::string draft = (folder_ / "wide.attune.cu").string(),
                    left = "of the front matter is still to be filled in (# FILL IN): 20";
  EXPECT_THAT(on_one_line(attune({"check", draft, "--device", "sm_90"}).out), HasSubstr("note: 1 line " + left));
  const CommandResult json = attune({"check", draft, "--device", "sm_90", "--json"});
  EXPECT_THAT(json.out + json.err, Not(HasSubstr("filled in")));
  expect_ok(draft, {{"size = 16, role = \"in\", pass", "size = 12, role = \"in\", pass"}}, "sm_90");
}

TEST_F(New, ATemplatedReductionIsRightWithTheSizeOfItsResult) {
  output_of({"new", write("reduce.cu", reduction)});
  EXPECT_THAT(content_of(folder_ / "reduce.attune.cu"), HasSubstr("entry = \"sums::reduce<T, BLOCK>\""));
  expect_ok((folder_ / "reduce.attune.cu").string(), {{"\"n\", role = \"out\"", "\"1\", role = \"out\""}});
}

TEST_F(New, AStencilIsRightAtOnceAndAfterItsMarksWereLookedAt) {
  output_of({"new", write("stencil.cu", stencil)});
  const std::string file = (folder_ / "stencil.attune.cu").string();
  expect_ok(file);
  expect_ok(file, {{"BLOCK_X = [16, 8, 32, 4]", "BLOCK_X = [32, 16]"},
                   {"BLOCK_Y = [16, 8, 32, 4]", "BLOCK_Y = [8, 4]"},
                   {"fill = \"1\"", "fill = \"0.25\""}});
}

TEST_F(New, OneOfTwoKernelsIsNamed) {
  const std::string file = write("two.cu", two);
  expect_failure(2, {"new", file}, {"has 2 kernels", "--kernel", "twice, copied"});
  expect_failure(2, {"new", file, "--kernel", "copid"}, {"no kernel `copid`; did you mean `copied`?"});
  const std::string drafted = (folder_ / "drafts" / "copied.cu").string();
  std::filesystem::create_directory(folder_ / "drafts");
  const std::string out = output_of({"new", file, "--kernel", "copied", "-o", drafted});
  EXPECT_THAT(out, Not(HasSubstr("without a GPU"))) << "the host device runs it";
  EXPECT_THAT(on_one_line(out), HasSubstr("note: the file has other kernels, for --kernel: twice"));
  EXPECT_THAT(content_of(drafted), AllOf(HasSubstr("#include \"../two.cu\""), HasSubstr("UNROLL = [4, 2, 8, 1]")));
  EXPECT_THAT(attune({"check", drafted}).out, HasSubstr("verdict: ok"));
  EXPECT_THAT(attune({"check", drafted, "-c", "BLOCK=64"}).out, HasSubstr("verdict: ok"));
}

TEST_F(New, NeverReplacesAFileAndPrintsOnRequest) {
  const std::string file = write("two.cu", two), kept = write("two.attune.cu", "mine");
  expect_failure(2, {"new", file, "--kernel", "twice"}, {"two.attune.cu exists already", "-o FILE.cu"});
  expect_failure(2, {"new", file, "--kernel", "twice", "-o", file}, {"two.cu exists already"});
  EXPECT_EQ(content_of(kept), "mine");
  EXPECT_EQ(content_of(file), two);
  EXPECT_THAT(output_of({"new", file, "--kernel", "twice", "-o", "-"}),
              AllOf(testing::StartsWith("/*attune\n"), HasSubstr("two.cu\"\n"), Not(HasSubstr("wrote"))));
}

TEST_F(New, WhatIsNoCudaFileIsAnErrorThatSaysSo) {
  expect_failure(2, {"new", write("empty.cu", "")}, {"empty.cu has no kernel"});
  expect_failure(2, {"new", write("binary.cu", std::string("\x7f\x45\0\xff\xfe\"/*", 7))}, {"has no kernel"});
  expect_failure(2,
                 {"new", write("quoted.cu", "// __global__ void f() {}\nconst char* s = \"__global__ void g() {}\";")},
                 {"has no kernel"});
  expect_failure(2, {"new", write("hidden.cu", "#define K(x) __global__ void x\nK(f)(int n) {}")}, {"macro K hides"});
  expect_failure(1, {"new", write("large.cu", std::string(10'000'000, ' '))}, {"has more than 4194304 bytes"});
  expect_failure(1, {"new", folder_.string()}, {"it is a folder"});
  expect_failure(1, {"new", "/dev/zero"}, {"no regular file"});
  expect_failure(1, {"new", (folder_ / "none.cu").string()}, {"there is no such file"});
  expect_failure(2, {"new"}, {"FILE is missing"});
  expect_failure(2, {"new", scale()}, {"has front matter already", "attune check"});
  const std::string file = write("reduce.cu", reduction);
  expect_failure(1, {"new", file, "-o", (folder_ / "none" / "out.cu").string()}, {"cannot write"});
  expect_failure(2, {"new", file, "-o", folder_.string()}, {"folder"});
}

// The built-in kernels without their front matter: attune reads what is drafted for each.
TEST_F(New, DraftsForAllBuiltInKernelsAreRead) {
  namespace fs = std::filesystem;
  for (const fs::directory_entry& entry : fs::directory_iterator(ATTUNE_SOURCE_DIR "/kernels")) {
    if (entry.path().extension() != ".cu") continue;
    std::string text = content_of(entry.path());
    text.erase(0, text.find("*/") + 2);
    const std::string file = write(entry.path().filename().string(), text);
    const std::string drafted = (folder_ / ("draft_of_" + entry.path().filename().string())).string();
    CommandResult result = attune({"new", file, "-o", drafted});
    if (result.code != 0) {
      const std::string names = on_one_line(result.err), begin = "--kernel NAME, of ";
      const std::size_t at = names.find(begin) + begin.size();
      result = attune({"new", file, "-o", drafted, "--kernel", names.substr(at, names.find_first_of(", \n", at) - at)});
    }
    EXPECT_EQ(result.code, 0) << file << result.err;
    const CommandResult space = attune({"space", drafted, "--count", "--device", "sm_90"});
    EXPECT_EQ(space.code, 0) << space.err;
    EXPECT_NE(space.out, "0\n") << drafted;
  }
}

}  // namespace
}  // namespace attune::test
