// The compiler as a program: found, missing, crashing, endless.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "device/host/host_compiler.hpp"
#include "device/host/host_device.hpp"
#include "host/host_test.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class HostCompilerProcess : public test::HostTest {
 protected:
  CompileOutcome compile_text(const std::string& text) const { return compile(request(text, {"run"})); }
};

// Sets an environment variable as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

// A program in a folder of its own that stands in for the compiler.
class FakeCompiler {
 public:
  explicit FakeCompiler(const std::string& script)
      : folder_(std::filesystem::path(testing::TempDir()) / ("fake" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(path()) << "#!/bin/sh\n" << script << "\n";
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  ~FakeCompiler() { std::filesystem::remove_all(folder_); }
  std::string path() const { return (folder_ / "compiler").string(); }

 private:
  std::filesystem::path folder_;
};

TEST_F(HostCompilerProcess, SaysWhichCompilerItUses) {
  EXPECT_THAT(make_host_compiler()->toolchain(), testing::MatchesRegex(".*[0-9]+\\.[0-9]+.*"));
  EXPECT_GT(device().compiler()->preferred_batch(), 1u);
  EXPECT_TRUE(device().compiler()->disturbs_timing());
}

TEST_F(HostCompilerProcess, SaysWhatToInstallWhenThereIsNoCompiler) {
  const Environment chosen("ATTUNE_HOST_CXX", "/nowhere/g++");
  try {
    make_host_compiler()->toolchain();
    FAIL() << "found a compiler";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("/nowhere/g++"), HasSubstr("ATTUNE_HOST_CXX")));
  }
  const Environment nothing("ATTUNE_HOST_CXX", ""), no_cxx("CXX", ""), no_path("PATH", "/nowhere");
  try {
    make_host_compiler()->toolchain();
    FAIL() << "found a compiler";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("install g++"));
  }
}

TEST_F(HostCompilerProcess, TakesACompilerWithArguments) {
  const Environment nothing("ATTUNE_HOST_CXX", ""), launcher("CXX", "env -u NOTHING g++");
  const auto compiler = make_host_compiler();
  const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
  EXPECT_EQ(compiler->compile({&wanted, 1})[0].verdict, Verdict::ok);
}

TEST_F(HostCompilerProcess, CallsACompilerThatCrashesOrSaysSoACrash) {
  for (const auto& [end, says] :
       {std::pair("kill -SEGV $$", ""),
        {"echo 'kernel.cu:1:1: internal compiler error: in somewhere' >&2; exit 4", "in somewhere"}}) {
    const FakeCompiler fake(std::string("case \"$*\" in *-dump*|*--version*) echo 9.9.9; exit 0;; esac; ") + end);
    const Environment chosen("ATTUNE_HOST_CXX", fake.path());
    const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
    const CompileOutcome outcome = make_host_compiler()->compile({&wanted, 1})[0];
    EXPECT_EQ(outcome.verdict, Verdict::compile_crash);
    EXPECT_THAT(outcome.log, HasSubstr(says));
  }
}

TEST_F(HostCompilerProcess, CallsACompilerWhoseProgramsWereKilledACrash) {
  for (const char* end :
       {"kill -KILL $$", "exit 137", "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1",
        "echo 'collect2: fatal error: ld terminated with signal 9 [Killed]' >&2; exit 1"}) {
    const FakeCompiler fake(std::string("case \"$*\" in *-dump*|*--version*) echo 9.9.9; exit 0;; esac; ") + end);
    const Environment chosen("ATTUNE_HOST_CXX", fake.path());
    const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
    EXPECT_EQ(to_text(make_host_compiler()->compile({&wanted, 1})[0].verdict), "compile_crash") << end;
  }
}

TEST_F(HostCompilerProcess, NamesTheLimitsOfMemoryThatItMeets) {
  for (const char* says : {"virtual memory exhausted: Cannot allocate memory", "cc1plus: out of memory",
                           "cc1plus: out of memory allocating 65536 bytes", "ld: memory exhausted",
                           "g++: fatal error: cannot execute 'as': vfork: Cannot allocate memory"}) {
    const FakeCompiler fake(std::string("case \"$*\" in *-dump*|*--version*) echo 9.9.9; exit 0;; esac; echo \"") +
                            says + "\" >&2; exit 1");
    const Environment chosen("ATTUNE_HOST_CXX", fake.path());
    const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
    const CompileOutcome outcome = make_host_compiler()->compile({&wanted, 1})[0];
    EXPECT_EQ(to_text(outcome.verdict), "compile_crash") << says;
    EXPECT_THAT(outcome.log, AllOf(HasSubstr("ulimit -v, ulimit -d"), HasSubstr(says), Not(HasSubstr("signal 0"))));
    const Environment limit("ATTUNE_COMPILE_MEMORY", "500");
    const CompileOutcome limited = make_host_compiler()->compile({&wanted, 1})[0];
    EXPECT_EQ(to_text(limited.verdict), "out_of_memory") << says << ": of a limit that its user chose";
    EXPECT_THAT(limited.log, HasSubstr("ATTUNE_COMPILE_MEMORY"));
  }
}

TEST_F(HostCompilerProcess, HasTheUsersLimitForEachImage) {
  const FakeCompiler fake("case \"$*\" in *-dump*|*--version*) echo 9.9.9; exit 0;; esac; exec sleep 50");
  const Environment chosen("ATTUNE_HOST_CXX", fake.path()), limit("ATTUNE_COMPILE_LIMIT", "0.25");
  const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
  const CompileOutcome outcome = make_host_compiler()->compile({&wanted, 1})[0];
  EXPECT_EQ(outcome.verdict, Verdict::compile_timeout);
  EXPECT_THAT(outcome.log, HasSubstr("stopped after 0.25 s"));
}

TEST_F(HostCompilerProcess, StopsACompilerThatDoesNotEnd) {
  // With a child that would outlive it, as compilers have.
  const FakeCompiler fake(
      "case \"$*\" in *-dump*|*--version*) echo 9.9.9; exit 0;; esac; echo begun; sleep 100 & sleep 100");
  const Environment chosen("ATTUNE_HOST_CXX", fake.path());
  const ImageRequest wanted = request("__global__ void run(int* out) {}", {"run"});
  const auto begin = std::chrono::steady_clock::now();
  const CompileOutcome outcome = HostCompiler(0.5).compile({&wanted, 1})[0];
  EXPECT_EQ(outcome.verdict, Verdict::compile_timeout);
  EXPECT_THAT(outcome.log, AllOf(HasSubstr("kernel.cu"), HasSubstr("0.5 s"), HasSubstr("begun")));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST_F(HostCompilerProcess, LeavesNothingBehind) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / ("attune_clean_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  {
    const Environment temporary("TMPDIR", folder.string());
    EXPECT_EQ(compile_text("__global__ void run(int* out) { *out = 3; }").verdict, Verdict::ok);
    EXPECT_EQ(compile_text("__global__ void run(int* out) { *out = 3 }").verdict, Verdict::compile_error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace attune
