// A bundle on a real GPU: what one process tuned and compiled, another launches without NVRTC, headers or a database.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "db/wisdom_store.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "spec/kernel_file.hpp"
#include "support/child.hpp"
#include "support/gpu.hpp"
#include "support/made_record.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int n = 100'000;
const Problem problem{{"n", n}};

std::string text_of(std::string_view include, std::string_view number) {
  return fmt::format(R"cu(/*attune
[kernel]
name = "scaled"
[problem]
n = "size"
[parameters]
FACTOR = [2, 3]
BLOCK = [128]
[[launch]]
entry = "scaled<FACTOR, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["data", "n"]
[arguments]
data = {{ type = "float", size = "n", role = "inout" }}
n = {{ type = "int64" }}
*/
{}
template <int FACTOR, int BLOCK>
__global__ void __launch_bounds__(BLOCK) scaled(float* data, long long n) {{
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) data[i] = {} * FACTOR;
}}
)cu",
                     include, number);
}

// Returns how many elements are right after one launch: each was 0.5, and FACTOR is 3.
int right_elements(Dispatcher& gpu) {
  const Buffer<float> data(gpu, std::vector<float>(n, 0.5f));
  gpu.plan("scaled", problem).launch(nullptr, data, n);
  gpu.synchronize();
  int right = 0;
  for (const float value : data.to_vector()) right += value == 1.5f;
  return right;
}

std::string told(Dispatcher& gpu) {
  const int right = right_elements(gpu);
  const Match match = gpu.match("scaled", problem);
  const Statistics statistics = gpu.statistics();
  return fmt::format("{} {}, {} right, {} from the bundle, {} from the cache, {} compiled", to_text(match.rung),
                     match.configuration.text(), right, statistics.from_bundle, statistics.from_cache,
                     statistics.compiled);
}

class GpuBundle : public test::GpuTest {
 protected:
  void SetUp() override {
    test::GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    std::string pattern = (fs::temp_directory_path() / "attune-bundle-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }

  // Writes the bundle of a dispatcher whose database knows FACTOR=3; returns what that dispatcher told.
  std::string write_bundle(const std::string& text) {
    const EmbeddedFile file{"scaled.cu", text};
    const KernelSpec spec = read_embedded_kernel(file);
    WisdomStore(folder_ / "wisdom.db")
        .put_record(made_record(spec, device().info(), problem, {{"FACTOR", 3}, {"BLOCK", 128}},
                                device().compiler()->toolchain()));
    Dispatcher gpu({"cuda", folder_ / "wisdom.db", folder_ / "cache", {}});
    gpu.add(kernel_bundle(spec, "scaled.cu"));
    std::string here = told(gpu);
    const std::vector<std::byte> bytes = gpu.bundle();
    std::ofstream out(bundle(), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), std::ssize(bytes));
    EXPECT_TRUE(out.flush());
    return here;
  }
  fs::path bundle() const { return folder_ / "scaled.bundle"; }
  // In a process that has neither NVRTC nor headers nor a database, and an empty cache.
  std::string told_elsewhere() const {
    const auto set = [](const char* name, const fs::path& value) {
      return fmt::format("{}='{}' ", name, value.string());
    };
    return test::report_of_child("GpuBundleChild.DISABLED_Tells",
                                 set("ATTUNE_NVRTC", folder_ / "no/libnvrtc.so.13") + set("CUDA_HOME", folder_ / "no") +
                                     set("CUDA_PATH", folder_ / "no") + set("ATTUNE_DB", folder_ / "no/wisdom.db") +
                                     set("ATTUNE_CACHE", folder_ / "empty") + set("ATTUNE_TEST_BUNDLE", bundle()));
  }
  fs::path folder_;
};

TEST(GpuBundleChild, DISABLED_Tells) {
  const char* const file = std::getenv("ATTUNE_TEST_BUNDLE");
  ASSERT_NE(file, nullptr);
  std::string warnings;
  DispatcherOptions options;
  options.device = "cuda";
  options.warn = [&](const std::string& message) { warnings += "; " + message; };
  try {
    EXPECT_NE(test::nvrtc_missing(), "") << "there is a compiler";
    Dispatcher gpu(Bundle::open(file), options);
    const std::string text = told(gpu);
    test::report(text + warnings);
  } catch (const std::exception& error) {
    test::report(error.what() + warnings);
  }
}

const std::string expected =
    fmt::format("exact FACTOR=3 BLOCK=128, {} right, 1 from the bundle, 0 from the cache, 0 compiled", n);

TEST_F(GpuBundle, IsLaunchedWithoutACompiler) {
  EXPECT_EQ(write_bundle(text_of("", "data[i]")),
            fmt::format("exact FACTOR=3 BLOCK=128, {} right, 0 from the bundle, 0 from the cache, 1 compiled", n));
  EXPECT_EQ(told_elsewhere(), expected);
}

TEST_F(GpuBundle, NeedsNoHeadersOfTheToolkit) {
  if (!cuda::find_toolkit_header(cuda::toolkit_include_folders(cuda::nvrtc().file), "cuda_fp16.h"))
    GTEST_SKIP() << "no cuda_fp16.h on this machine";
  write_bundle(text_of("#include <cuda_fp16.h>", "__half2float(__float2half(data[i]))"));
  EXPECT_EQ(told_elsewhere(), expected);
}

// A header of the kernel's own that changes, and then is gone: the bundle is right as it was made.
TEST_F(GpuBundle, NeedsNoHeadersOfTheKernel) {
  fs::create_directory(folder_ / "include");
  std::ofstream(folder_ / "include/half_of_it.h") << "#define HALF_OF_IT 0.5f\n";
  std::string text = text_of("#include <half_of_it.h>", "HALF_OF_IT");
  const std::string_view launch = "[[launch]]";
  text.insert(text.find(launch), fmt::format("[compile]\noptions = [\"-I{}\"]\n", (folder_ / "include").string()));
  write_bundle(text);
  fs::remove_all(folder_ / "include");
  EXPECT_EQ(told_elsewhere(), expected);
}

// Processes of one GPU agree: the bundle of a dispatcher on a bundle is that bundle.
TEST_F(GpuBundle, OfADispatcherOnABundleIsTheSame) {
  write_bundle(text_of("", "data[i]"));
  const Bundle one = Bundle::open(bundle());
  Dispatcher gpu(one, {"cuda", {}, folder_ / "another_cache", {}});
  EXPECT_EQ(right_elements(gpu), n);
  EXPECT_EQ(Bundle::owning(gpu.bundle(), "again").hash(), one.hash());
}

}  // namespace
}  // namespace attune
