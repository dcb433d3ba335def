#include "device/host/compiler_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "support/busy_machine.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

ProcessResult shell(const std::string& script, double seconds = 20) {
  return run_process({"/bin/sh", "-c", script}, "/", seconds);
}

TEST(CompilerProcess, CollectsOutputAndExitCode) {
  const ProcessResult result = shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.signal, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "out\nerr\n");
}

TEST(CompilerProcess, PassesArgumentsWithoutAShell) {
  EXPECT_EQ(run_process({"/bin/echo", "$HOME; `id` \"x y\""}, "/", 20).output, "$HOME; `id` \"x y\"\n");
}

TEST(CompilerProcess, TellsOfSignals) {
  EXPECT_EQ(shell("kill -SEGV $$").signal, SIGSEGV);
  EXPECT_EQ(shell("kill -SEGV $$").exit_code, -1);
}

TEST(CompilerProcess, StopsTheWholeGroupAtTheDeadline) {
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = shell("echo begun; sleep 60 & sleep 60", 0.3);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(CompilerProcess, StopsOneThatClosedItsOutputAndDoesNotEnd) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(shell("exec > /dev/null 2>&1; sleep 60", 0.3).timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(CompilerProcess, IsNotLateWhileItWaitsForAProcessor) {
  const test::BusyMachine busy;
  const ProcessResult result =
      run_process({"/bin/sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; echo done"}, "/", {1, true});
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.output, "done\n");
}

TEST(CompilerProcess, CutsLongOutput) {
  const ProcessResult result = shell("head -c 200000 /dev/zero | tr '\\0' x");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_LT(result.output.size(), output_bytes + 100);
  EXPECT_THAT(result.output, HasSubstr("134464 bytes more"));
}

TEST(CompilerProcess, SpeaksEnglishAndKeepsTemporaryFilesInItsFolder) {
  const TemporaryFolder folder;
  const ProcessResult result = run_process({"/bin/sh", "-c", "echo $LC_ALL $TMPDIR; pwd"}, folder.path(), 20);
  EXPECT_EQ(result.output, "C " + folder.path().string() + "\n" + folder.path().string() + "\n");
}

TEST(CompilerProcess, SaysThatAProgramCannotRun) {
  const ProcessResult result = run_process({"/nowhere/compiler"}, "/", 20);
  EXPECT_NE(result.exit_code, 0);
}

TEST(CompilerProcess, FindsPrograms) {
  EXPECT_THAT(find_program("sh"), HasSubstr("/sh"));
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("/bin"), "") << "a folder";
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path("/bin");
  EXPECT_THAT(find_program("./sh"), testing::MatchesRegex("/.*bin/\\./sh")) << "a compiler runs in another folder";
  std::filesystem::current_path(here);
  EXPECT_EQ(find_program("surely-no-such-program"), "");
}

TEST(TemporaryFolders, ArePrivateAndGoAway) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u);
    std::filesystem::create_directories(path / "a/b");
    std::ofstream(path / "a/b/file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace attune
