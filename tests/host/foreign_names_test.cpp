// Names and headers that kernels written for nvcc take for granted, and folders made for NVRTC.
#include <unistd.h>

#include <cfloat>
#include <climits>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>
#include <vector>

#include "host/host_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::shape;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class HostForeignNames : public test::HostTest {
 protected:
  HostForeignNames() {
    folder_ = fs::temp_directory_path() / ("attune_foreign_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "first/deep");
    fs::create_directories(folder_ / "second");
  }
  ~HostForeignNames() override { fs::remove_all(folder_); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  ImageRequest in_both(const std::string& source) const {
    ImageRequest wanted = request(source, {"run"});
    wanted.options = {"-I" + (folder_ / "first").string(), "-I" + (folder_ / "second").string()};
    return wanted;
  }
  // What the kernel `run(int* out)` writes to its elements.
  std::vector<int> out_of(const ImageRequest& wanted, std::size_t count) const {
    test::Array<int> out(device(), count, -1);
    const std::shared_ptr<Module> module = load(wanted);
    if (module == nullptr) return {};
    const Status status = launch(*module, "run", shape(1, 1), {out.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out.values();
  }
  fs::path folder_;
};

TEST_F(HostForeignNames, IntegersOfASizeNeedNoInclude) {
  const std::vector<int> sizes = output<int>(R"(
__global__ void run(int* out) {
  const int sizes[] = {sizeof(int8_t), sizeof(int16_t), sizeof(int32_t), sizeof(int64_t), sizeof(uint8_t),
                       sizeof(uint16_t), sizeof(uint32_t), sizeof(uint64_t), sizeof(uintptr_t), sizeof(size_t),
                       sizeof(ptrdiff_t), sizeof(uchar), sizeof(ushort), sizeof(uint), sizeof(ulong)};
  const bool wrap = uint8_t(-1) > 0 && uint16_t(-1) > 0 && uint32_t(-1) > 0 && uint64_t(-1) > 0 && uintptr_t(-1) > 0 &&
                    size_t(-1) > 0 && uchar(-1) > 0 && ushort(-1) > 0 && uint(-1) > 0 && ulong(-1) > 0;
  const bool signs = int8_t(-1) < 0 && int16_t(-1) < 0 && int32_t(-1) < 0 && int64_t(-1) < 0 && ptrdiff_t(-1) < 0;
  for (int i = 0; i < 15; ++i) out[i] = wrap && signs ? sizes[i] : 0;
})",
                                             shape(1, 1), 15);
  EXPECT_THAT(sizes, ElementsAre(1, 2, 4, 8, 1, 2, 4, 8, 8, 8, 8, 1, 2, 4, 8));
}

TEST_F(HostForeignNames, LimitsOfNumbersNeedNoInclude) {
  const std::vector<double> out = output<double>(R"(
__global__ void run(double* out) {
  const double all[] = {FLT_MAX, FLT_MIN, FLT_EPSILON, DBL_MAX, DBL_MIN, DBL_EPSILON, INT_MAX, INT_MIN, UINT_MAX,
                        double(LLONG_MAX), double(LLONG_MIN), double(ULLONG_MAX), double(LONG_MAX), CHAR_BIT, SHRT_MAX,
                        INFINITY, M_PI, M_E, M_LOG2E, M_LOG10E, M_LN2, M_LN10, M_PI_2, M_PI_4, M_1_PI, M_2_PI,
                        M_2_SQRTPI, M_SQRT2, M_SQRT1_2, HUGE_VALF};
  for (int i = 0; i < 30; ++i) out[i] = all[i];
  out[30] = isnan(NAN);
})",
                                                 shape(1, 1), 31);
  using namespace std::numbers;
  const double expected[] = {FLT_MAX,  FLT_MIN,    FLT_EPSILON,    DBL_MAX, DBL_MIN,   DBL_EPSILON, INT_MAX, INT_MIN,
                             UINT_MAX, 0x1p63,     -0x1p63,        0x1p64,  0x1p63,    8,           32767,   HUGE_VAL,
                             pi,       e,          log2e,          log10e,  ln2,       ln10,        pi / 2,  pi / 4,
                             inv_pi,   2 * inv_pi, 2 * inv_sqrtpi, sqrt2,   sqrt2 / 2, HUGE_VAL,    1};
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

TEST_F(HostForeignNames, ConstantsOfCudaHaveAHeader) {
  const std::vector<double> out = output<double>(R"(
#include <math_constants.h>
__global__ void run(double* out) {
  const double all[] = {CUDART_INF_F, CUDART_MIN_DENORM_F, CUDART_MAX_NORMAL_F, CUDART_ZERO_F, CUDART_ONE_F,
                        CUDART_PI_F, CUDART_PIO2_F, CUDART_LN2_F, CUDART_L2E_F, CUDART_SQRT_TWO_F, CUDART_INF,
                        CUDART_PI, CUDART_LN2, CUDART_L2E, CUDART_SQRT_HALF, CUDART_TWO_TO_52, -CUDART_INF_F};
  for (int i = 0; i < 17; ++i) out[i] = all[i];
  out[17] = isnan(CUDART_NAN_F) && isnan(CUDART_NAN) && signbit(CUDART_NEG_ZERO_F) && signbit(CUDART_NEG_ZERO);
})",
                                                 shape(1, 1), 18);
  using namespace std::numbers;
  const double expected[] = {HUGE_VAL,     FLT_TRUE_MIN,   FLT_MAX,        0,        1,  pi_v<float>, pi_v<float> / 2,
                             ln2_v<float>, log2e_v<float>, sqrt2_v<float>, HUGE_VAL, pi, ln2,         log2e,
                             sqrt2 / 2,    0x1p52,         -HUGE_VAL,      1};
  for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

// Each alone, then all together.
TEST_F(HostForeignNames, AHeaderOfTwoSpellingsHasTheMacros) {
  ImageRequest wanted =
      request("#include \"own.h\"\n#include \"./own.h\"\n__global__ void run(int* out) { *out = TILE; }", {"run"});
  for (const char* const name : {"own.h", "./own.h"})
    wanted.source.headers.push_back({name, "#pragma once\nint own();\n"});
  wanted.macros = {{"TILE", "3"}};
  EXPECT_THAT(out_of(wanted, 1), ElementsAre(3));
}

TEST_F(HostForeignNames, AVariableMayBeCalledDim3) {
  const ImageRequest wanted =
      request("__global__ void run(int* dim3) { dim3[threadIdx.x] = blockDim.x + gridDim.x; }", {"run"});
  EXPECT_THAT(out_of(wanted, 1), ElementsAre(2));
}

TEST_F(HostForeignNames, HeadersThatNeedNothingAreTaken) {
  std::string together;
  std::vector<ImageRequest> requests;
  for (const char* const header : {"<cstdint>",
                                   "<stdint.h>",
                                   "<cfloat>",
                                   "<float.h>",
                                   "<climits>",
                                   "<limits.h>",
                                   "<cassert>",
                                   "<assert.h>",
                                   "<cstdio>",
                                   "<stdio.h>",
                                   "<cmath>",
                                   "<math.h>",
                                   "<cstdlib>",
                                   "<cstring>",
                                   "<algorithm>",
                                   "<vector>",
                                   "<limits>",
                                   "<type_traits>",
                                   "<utility>",
                                   "<cuda_runtime.h>",
                                   "\"cuda_runtime.h\"",
                                   "<cuda_runtime_api.h>",
                                   "<device_launch_parameters.h>",
                                   "\"device_launch_parameters.h\"",
                                   "<cuda.h>",
                                   "<vector_types.h>",
                                   "<vector_functions.h>",
                                   "<math_constants.h>",
                                   "<cuda_fp16.h>",
                                   "<cuda_bf16.h>"}) {
    const std::string line = std::string("#include ") + header + "\n";
    together += line;
    const std::string kernel =
        "__global__ void run(int* out) {\n  assert(out != nullptr);\n  const float4 v = make_float4(1, 2, 3, 4);\n"
        "  *out = max(3, int(sqrtf(v.w))) + (threadIdx.x == 0 && isinf(INFINITY)) + min(uint32_t(7), 9u);\n}";
    EXPECT_THAT(out_of(request(line + kernel, {"run"}), 1), ElementsAre(11)) << header;
    if (line.find("bf16") != line.npos) {
      EXPECT_THAT(out_of(request(together + kernel, {"run"}), 1), ElementsAre(11));
    }
  }
}

TEST_F(HostForeignNames, TheRuntimesCallsStayRefused) {
  const CompileOutcome outcome =
      compile(request("#include <cuda_runtime.h>\n__global__ void run(int* out) {\n  cudaFree(out);\n}", {"run"}));
  EXPECT_THAT(outcome.log, HasSubstr("kernel.cu:3: error: `cudaFree` is not supported on the host device"));
}

// Folders for NVRTC have small headers under the names of the system's.
TEST_F(HostForeignNames, AFolderThatShadowsTheSystemDoesNoHarm) {
  for (const char* const name : {"math.h", "cstdio", "assert.h", "stdint.h", "string.h", "cmath", "cuda_runtime.h"})
    write(std::string("first/") + name, "");
  write("first/own.h", "#include <inner.h>\n#define OWN 10\n");
  write("first/deep/quoted.h", "#include \"beside.h\"\n");
  write("first/deep/beside.h", "#define BESIDE 100\n");
  write("second/inner.h", "#define INNER 1000\n");
  write("second/own.h", "#define OWN 0\n");
  const ImageRequest wanted = in_both(
      "#include <math.h>\n#include <cstdio>\n#include <assert.h>\n#include <own.h>\n#include \"deep/quoted.h\"\n"
      "__global__ void run(int* out) { *out = OWN + BESIDE + INNER + int(sqrtf(1.0f)); printf(\"%s\", \"\"); }");
  EXPECT_THAT(out_of(wanted, 1), ElementsAre(1111));
  const CompileOutcome outcome = compile(wanted);
  ASSERT_TRUE(outcome.image) << outcome.log;
  EXPECT_TRUE(outcome.image->knows_files);
  for (const char* const name : {"first/own.h", "second/inner.h", "first/deep/quoted.h", "first/deep/beside.h"})
    EXPECT_THAT(outcome.image->files, Contains(testing::Field(&ImageFile::path, (folder_ / name).string())));
}

// A header beside the kernel file comes with the source.
TEST_F(HostForeignNames, HeadersBesideTheKernelFileComeFirst) {
  ImageRequest wanted = in_both("#include \"error.h\"\n__global__ void run(int* out) { *out = CODE; }");
  wanted.source.headers = {{"error.h", "#define CODE 7\n"}};
  EXPECT_THAT(out_of(wanted, 1), ElementsAre(7));
  for (const char* const name : {"math.h", "cmath", "cstdio", "stdint.h"}) {
    wanted.source.text = "#include \"" + std::string(name) + "\"\n__global__ void run(int* out) { *out = CODE; }";
    wanted.source.headers = {{name, "#define CODE 8\n"}};
    EXPECT_THAT(out_of(wanted, 1), ElementsAre(8)) << name;
    wanted.source.text = "#include <own.h>\n__global__ void run(int* out) { *out = CODE; }";
    wanted.source.headers = {{"own.h", "#define CODE 9\n"}};
    EXPECT_THAT(out_of(wanted, 1), ElementsAre(9)) << "in <...>";
  }
}

}  // namespace
}  // namespace attune
