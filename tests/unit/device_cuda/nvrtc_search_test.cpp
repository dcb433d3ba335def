#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string failure_of(const NvrtcSearch& search) {
  try {
    load_nvrtc(search);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(NvrtcSearch, TriesTheNewestMajorVersionFirstAndEachFolderInOrder) {
  EXPECT_THAT(
      nvrtc_candidates({"", {"/a", "/b"}, 0}),
      ElementsAre("/a/libnvrtc.so.13", "/b/libnvrtc.so.13", "libnvrtc.so.13", "/a/libnvrtc.so.12", "/b/libnvrtc.so.12",
                  "libnvrtc.so.12", "/a/libnvrtc.so.11.2", "/b/libnvrtc.so.11.2", "libnvrtc.so.11.2"));
}

TEST(NvrtcSearch, LeavesOutWhatIsNewerThanTheDriver) {
  EXPECT_THAT(nvrtc_candidates({"", {}, 12040}), ElementsAre("libnvrtc.so.12", "libnvrtc.so.11.2"));
  EXPECT_THAT(nvrtc_candidates({"", {}, 11080}), ElementsAre("libnvrtc.so.11.2"));
}

TEST(NvrtcSearch, KeepsNewerMinorVersionsOfTheDriversMajorOne) {
  EXPECT_THAT(nvrtc_candidates({"", {}, 13000}), testing::Contains("libnvrtc.so.13"));
}

TEST(NvrtcSearch, TakesASettingAloneAndAFolderAsThePlaceOfTheLibrary) {
  EXPECT_THAT(nvrtc_candidates({"/opt/libnvrtc.so.12", {"/a"}, 0}), ElementsAre("/opt/libnvrtc.so.12"));
  EXPECT_THAT(nvrtc_candidates({"/tmp", {"/a"}, 12000}), ElementsAre("/tmp/libnvrtc.so.12", "/tmp/libnvrtc.so.11.2"));
  EXPECT_THAT(nvrtc_candidates({"none", {"/a"}, 0}), ElementsAre());
}

TEST(NvrtcSearch, NoneIsAnErrorThatSaysSo) {
  EXPECT_THAT(failure_of({"none", {}, 0}), HasSubstr("ATTUNE_NVRTC is `none`"));
  EXPECT_THAT(failure_of({"none", {}, 0}), HasSubstr("--device host"));
}

TEST(NvrtcSearch, ASettingThatDoesNotExistIsNamed) {
  const std::string message = failure_of({"/no/such/libnvrtc.so.13", {}, 0});
  EXPECT_THAT(message, HasSubstr("`/no/such/libnvrtc.so.13`"));
  EXPECT_THAT(message, HasSubstr("install"));
}

TEST(NvrtcSearch, AFileThatIsNoLibraryIsNamedWithTheReason) {
  const auto file = std::filesystem::path(testing::TempDir()) / "attune_no_library.so.13";
  std::ofstream(file) << "not a library";
  const std::string message = failure_of({file.string(), {}, 0});
  EXPECT_THAT(message, HasSubstr(file.string()));
  EXPECT_THAT(message, HasSubstr("cannot be loaded"));
  std::filesystem::remove(file);
}

TEST(NvrtcSearch, ALibraryThatIsNoNvrtcIsRefused) {
  EXPECT_THAT(failure_of({"libm.so.6", {}, 0}), HasSubstr("lacks nvrtcGetErrorString"));
}

TEST(NvrtcSearch, ReadsTheEnvironment) {
  setenv("ATTUNE_NVRTC", "/x/libnvrtc.so.12", 1);
  setenv("CUDA_HOME", "/opt/cuda-here", 1);
  const NvrtcSearch search = nvrtc_search();
  unsetenv("ATTUNE_NVRTC");
  unsetenv("CUDA_HOME");
  EXPECT_EQ(search.setting, "/x/libnvrtc.so.12");
  EXPECT_THAT(search.folders, testing::Contains(std::filesystem::path("/opt/cuda-here/lib64")));
  EXPECT_EQ(search.folders.back(), "/usr/local/cuda/lib64");
  EXPECT_EQ(search.folders.front(), std::filesystem::read_symlink("/proc/self/exe").parent_path());
}

TEST(NvrtcCompiler, LoadsNothingUntilItIsAskedToCompile) {
  setenv("ATTUNE_NVRTC", "none", 1);
  const auto compiler = make_nvrtc_compiler("sm_90");
  EXPECT_EQ(compiler->preferred_batch(), 1u);
  EXPECT_THROW(compiler->toolchain(), Error);
  EXPECT_THROW(compiler->compile(std::vector<ImageRequest>(1)), Error);
  EXPECT_EQ(nvrtc_version(), std::nullopt);
  unsetenv("ATTUNE_NVRTC");
}

}  // namespace
}  // namespace attune::cuda
