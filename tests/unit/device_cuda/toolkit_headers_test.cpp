#include "device/cuda/toolkit_headers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace attune::cuda {
namespace {

namespace fs = std::filesystem;

class ToolkitHeaders : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) / ("attune_toolkit_" + std::to_string(getpid()));
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void put(const fs::path& folder) {
    fs::create_directories(root_ / folder);
    std::ofstream(root_ / folder / "cuda_fp16.h") << "\n";
  }
  fs::path root_;
};

TEST_F(ToolkitHeaders, AreFoundInAToolkitBesideItsLibrary) {
  put("cuda/include");
  EXPECT_EQ(find_toolkit_header(toolkit_include_folders(root_ / "cuda/lib64/libnvrtc.so.13"), "cuda_fp16.h"),
            root_ / "cuda/include");
}

TEST_F(ToolkitHeaders, AreFoundInPipsLayout) {
  put("nvidia/cuda_runtime/include");
  EXPECT_EQ(find_toolkit_header(toolkit_include_folders(root_ / "nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), "cuda_fp16.h"),
            root_ / "nvidia/cuda_runtime/include");
}

TEST_F(ToolkitHeaders, OfCubLieBelowThoseOfAToolkitAndInAPackageOfTheirOwnInPipsCuda12) {
  EXPECT_EQ(folders_of_toolkit("/cuda/include"), (std::vector<fs::path>{"/cuda/include", "/cuda/include/cccl"}));
  EXPECT_EQ(folders_of_toolkit("/nvidia/cuda_runtime/include"),
            (std::vector<fs::path>{"/nvidia/cuda_runtime/include", "/nvidia/cuda_cccl/include",
                                   "/nvidia/cuda_nvcc/include"}));
}

TEST_F(ToolkitHeaders, ThoseBesideTheLibraryComeBeforeTheEnvironments) {
  setenv("CUDA_HOME", "/opt/cuda-here", 1);
  const auto folders = toolkit_include_folders(root_ / "cuda/lib64/libnvrtc.so.13");
  unsetenv("CUDA_HOME");
  EXPECT_EQ(folders.front(), root_ / "cuda/include");
  EXPECT_NE(std::find(folders.begin(), folders.end(), fs::path("/opt/cuda-here/include")), folders.end());
}

TEST_F(ToolkitHeaders, MayBeAbsent) {
  EXPECT_EQ(find_toolkit_header({root_, root_ / "nowhere"}, "cuda_fp16.h"), std::nullopt);
}

}  // namespace
}  // namespace attune::cuda
