// Which program tune() starts as its workers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <stdexcept>

#include "support/command.hpp"
#include "support/set_user_id.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* bin = ATTUNE_BUILD_DIR "/bin";
constexpr const char* compilers = "/usr/bin:/bin";  // a $PATH without any program of attune

class WorkersOfPrograms : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "attune-programs-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    fs::copy_file(TUNING_PROGRAM, program());
  }
  void TearDown() override { fs::remove_all(folder_); }
  // Runs a copy of the program, beside which there is no other.
  CommandResult run(const std::string& kind, const std::string& path) const {
    return run_command({program(), kind, ATTUNE_TEST_DATA "/kernels/scale.cu", (folder_ / "wisdom.db").string()},
                       {.environment = {{"PATH", path}, {"ATTUNE_CACHE", (folder_ / "cache").string()}}});
  }
  std::string program() const { return (folder_ / "tuning_program").string(); }

  fs::path folder_;
};

TEST_F(WorkersOfPrograms, AProgramThatServesNeedsNoOther) {
  const CommandResult result = run("serving", compilers);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "tuned\n");
}

TEST_F(WorkersOfPrograms, AnotherOneFindsThemBesideItselfInItsPackageAndInThePath) {
  const fs::path package = folder_.string() + "-package";
  for (const fs::path& place : {folder_, package / "bin"}) {
    fs::create_directories(place);
    fs::create_symlink(fs::path(bin) / "attune-worker", place / "attune-worker");
    if (place != folder_) {
      fs::remove(folder_ / "attune-worker");
      fs::create_directory(package / "lib");
      fs::rename(program(), package / "lib" / "tuning_program");
      fs::create_symlink(package / "lib" / "tuning_program", program());
    }
    fs::remove(folder_ / "wisdom.db");
    const CommandResult result = run("plain", compilers);
    EXPECT_EQ(result.out, "tuned\n") << place << result.err;
  }
  fs::remove_all(package);
  fs::remove(program());
  fs::copy_file(TUNING_PROGRAM, program());
  const CommandResult result = run("plain", std::string(bin) + ":" + compilers);
  EXPECT_EQ(result.out, "tuned\n") << result.err;
}

TEST_F(WorkersOfPrograms, OneThatFindsNoneNamesEveryRemedy) {
  const CommandResult result = run("plain", "/nonexistent");
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("worker_main(argc, argv) first in main()"), HasSubstr("`attune-worker`"),
                    HasSubstr("$PATH"), HasSubstr("TuneOptions::executable"), HasSubstr("Isolation::none")));
}

// Whoever can start the program could else have it run any code.
TEST_F(WorkersOfPrograms, ASetUserIdProgramIsNoWorker) {
  const CommandResult plainly = run_command({program(), "attune-worker", "device"});
  EXPECT_THAT(plainly.err, HasSubstr("usage: attune-worker"));
  const std::optional<std::string> printed = first_line_as_set_user_id(TUNING_PROGRAM, "attune-worker device");
  if (!printed) GTEST_SKIP() << "cannot make a set-user-id program of another user here";
  EXPECT_EQ(*printed, "no worker\n");
}

}  // namespace
}  // namespace attune::test
