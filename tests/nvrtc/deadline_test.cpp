// Compiling without a device, by the real program: it ends whatever the compiler waits for.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "support/command.hpp"
#include "support/nvrtc.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class CompilingOnly : public test::NvrtcTest {
 protected:
  void SetUp() override {
    NvrtcTest::SetUp();
    std::string pattern = (fs::temp_directory_path() / "attune-deadline-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    ASSERT_EQ(mkfifo((folder_ / "pipe.cuh").c_str(), 0600), 0);
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  // A kernel of one entry, with the lines before it.
  std::string kernel(const std::string& lines) const {
    const std::string file = (folder_ / "set.cu").string();
    std::ofstream(file)
        << "/*attune\n[kernel]\nname = \"set\"\n[compile]\noptions = [\"-I.\"]\n[problem]\nn = { size = 64 }\n"
           "[parameters]\nBLOCK = [64]\n[[launch]]\nentry = \"set_all\"\ngrid = [\"1\"]\n"
           "block = [\"BLOCK\"]\narguments = [\"y\"]\n[arguments]\n"
           "y = { type = \"int32\", size = \"n\", role = \"out\" }\n*/\n"
        << lines << "__global__ void set_all(int* y) { y[threadIdx.x] = 3; }\n";
    return file;
  }
  // No #include line names the pipe.
  std::string kernel_that_hangs() const {
    return kernel("#define TEXT(x) #x\n#define NAME(x) TEXT(x.cuh)\n#include NAME(pipe)\n");
  }
  test::CommandResult attune(std::vector<std::string> arguments,
                             std::map<std::string, std::string> environment = {}) const {
    arguments.insert(arguments.begin(), ATTUNE_BUILD_DIR "/bin/attune");
    environment.insert({{"ATTUNE_DB", (folder_ / "wisdom.db").string()}, {"ATTUNE_COMPILE_LIMIT", "1"}});
    return test::run_command(arguments, {.environment = environment, .timeout_seconds = 60});
  }
  fs::path folder_;
};

TEST_F(CompilingOnly, EndsAtTheLimitOfACompile) {
  const std::string file = kernel_that_hangs();
  const auto checked = attune({"check", file, "--device", "sm_90"});
  EXPECT_EQ(checked.code, 3) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("compile_timeout"));
  const auto prepared =
      attune({"prepare", file, "--architecture", "sm_90", "--problem", "n=64", "--cache", (folder_ / "site").string()});
  EXPECT_EQ(prepared.code, 1) << prepared.err;
  EXPECT_THAT(prepared.out, HasSubstr("compile_timeout"));
}

TEST_F(CompilingOnly, EndsAtTheTimeLimitOfTheCheck) {
  const auto checked = attune({"check", kernel_that_hangs(), "--device", "sm_90", "--time-limit", "1s"},
                              {{"ATTUNE_COMPILE_LIMIT", "600"}});
  EXPECT_EQ(checked.code, 3) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("it was stopped after 1 s, its --time-limit"));
}

TEST_F(CompilingOnly, APipeThatIsIncludedIsNamed) {
  const auto by_angles = attune({"check", kernel("#include <pipe.cuh>\n"), "--device", "sm_90"});
  EXPECT_EQ(by_angles.code, 3);
  EXPECT_THAT(by_angles.out, HasSubstr("pipe.cuh: error: it is no regular file"));
  const auto by_quotes = attune({"check", kernel("#include \"pipe.cuh\"\n"), "--device", "sm_90"});
  EXPECT_NE(by_quotes.code, 0);
  EXPECT_THAT(by_quotes.err, HasSubstr("pipe.cuh: it is no regular file"));
}

TEST_F(CompilingOnly, ALibraryThatIsAPipeIsRefused) {
  const auto checked =
      attune({"check", kernel(""), "--device", "sm_90"}, {{"ATTUNE_NVRTC", (folder_ / "pipe.cuh").string()}});
  EXPECT_EQ(checked.code, 1);
  EXPECT_THAT(checked.err, HasSubstr("pipe.cuh is no regular file; name a libnvrtc.so.N"));
}

TEST_F(CompilingOnly, ASoundKernelIsStillPrepared) {
  const auto prepared = attune({"prepare", kernel(""), "--architecture", "sm_90", "--architecture", "sm_80",
                                "--problem", "n=64", "--cache", (folder_ / "site").string()},
                               {{"ATTUNE_COMPILE_LIMIT", "60"}});
  EXPECT_EQ(prepared.code, 0) << prepared.err;
  EXPECT_THAT(prepared.out, HasSubstr("2 compiled, 0 there already, 0 failed"));
}

}  // namespace
}  // namespace attune
