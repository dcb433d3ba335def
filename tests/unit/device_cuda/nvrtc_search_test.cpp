#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

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
  EXPECT_TRUE(search.begins_at_executable);
}

// The executable's folder, of which it is known who may write there.
class OwnFolder : public testing::Test {
 protected:
  OwnFolder() {
    std::filesystem::create_directory(folder_);
    std::filesystem::permissions(folder_, std::filesystem::perms(0755));
    std::ofstream(library_) << "not a library";
    std::filesystem::permissions(library_, std::filesystem::perms(0644));
  }
  ~OwnFolder() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    if (failure_of({"", {}, 11080}).empty()) GTEST_SKIP() << "the loader finds an NVRTC of CUDA 11";
  }
  std::string complaint(bool is_own = true) const { return failure_of({"", {folder_}, 11080, is_own}); }
  const std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("attune_own_folder_" + std::to_string(getpid()));
  const std::filesystem::path library_ = folder_ / "libnvrtc.so.11.2";
};

TEST_F(OwnFolder, ThatOnlyItsOwnerWritesIsTaken) {
  EXPECT_THAT(complaint(), HasSubstr(library_.string() + " cannot be loaded")) << "an attempt was made";
}

TEST_F(OwnFolder, ThatOthersMayWriteIsRefused) {
  for (const unsigned mode : {01777u, 0775u}) {  // a sticky bit keeps nobody from adding a library
    std::filesystem::permissions(folder_, std::filesystem::perms(mode));
    EXPECT_THAT(complaint(), AllOf(HasSubstr(folder_.string() + " can be written by others (chmod go-w)"),
                                   Not(HasSubstr("cannot be loaded"))));
    EXPECT_THAT(complaint(false), HasSubstr("cannot be loaded")) << "a folder that somebody named";
  }
}

TEST_F(OwnFolder, WithALibraryThatOthersMayWriteIsRefused) {
  std::filesystem::permissions(library_, std::filesystem::perms(0664));
  EXPECT_THAT(complaint(), HasSubstr(library_.string() + " can be written by others"));
}

TEST_F(OwnFolder, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root makes files of others";
  ASSERT_EQ(chown(library_.c_str(), 1, 1), 0);
  EXPECT_THAT(complaint(), HasSubstr(library_.string() + " belongs to user 1"));
  ASSERT_EQ(chown(library_.c_str(), 0, 0), 0);
  ASSERT_EQ(chown(folder_.c_str(), 1, 1), 0);
  EXPECT_THAT(complaint(), HasSubstr(folder_.string() + " belongs to user 1"));
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
