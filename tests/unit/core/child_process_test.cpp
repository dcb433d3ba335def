#include "base/child_process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>

#include "base/descriptor.hpp"

namespace attune {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs a script to its end; returns what it printed.
std::string printed_by(const std::string& script, Program program = {}) {
  Pipe output = make_pipe();
  program.arguments = {"/bin/sh", "-c", script};
  program.output = program.errors = output.write.get();
  ChildProcess child(program);
  output.write.close();
  std::string text(1 << 16, '\0');
  std::size_t size = 0;
  for (ssize_t count = 1; count > 0; size += static_cast<std::size_t>(count))
    count = read(output.read.get(), text.data() + size, text.size() - size);
  EXPECT_TRUE(child.ends_within(20));
  return text.substr(0, size);
}

TEST(ChildProcesses, GetThreeDescriptorsAndNoOthers) {
  const Descriptor open_here(open("/dev/null", O_RDONLY));  // programs of others leave theirs open to children
  EXPECT_EQ(printed_by("ls /proc/$$/fd"), "0\n1\n2\n");
  EXPECT_EQ(printed_by("cat; echo end"), "end\n") << "nothing is to be read";
  Pipe input = make_pipe();
  ASSERT_EQ(write(input.write.get(), "a line\n", 7), 7);
  input.write.close();
  EXPECT_EQ(printed_by("cat", {.input = input.read.get()}), "a line\n");
}

// Each of the three may be any descriptor of this process, even one of the three.
TEST(ChildProcesses, GetTheirDescriptorsWhateverNumbersTheseHaveHere) {
  const auto file = [](int number) {
    return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(number)).string();
  };
  const std::string script =
      "f() { readlink /proc/$$/fd/$1; }; [ \"$(f 0)\" = \"$0\" -a \"$(f 1)\" = \"$1\" -a \"$(f 2)\" = \"$2\" ]";
  ChildProcess child({.arguments = {"/bin/sh", "-c", script, file(2), file(0), file(1)},
                      .input = STDERR_FILENO,
                      .output = STDIN_FILENO,
                      .errors = STDOUT_FILENO});
  ASSERT_TRUE(child.ends_within(20));
  EXPECT_EQ(child.exit_code(), 0);
}

TEST(ChildProcesses, HaveThePlaceTheEnvironmentAndTheLimitsThatTheyAreGiven) {
  EXPECT_EQ(printed_by("pwd; echo $GIVEN", {.environment = {{"GIVEN", "so"}}, .folder = "/usr"}), "/usr\nso\n");
  EXPECT_EQ(printed_by("ulimit -v", {.address_bytes = std::uint64_t{1} << 30}), "1048576\n");
  EXPECT_EQ(printed_by("nice", {.niceness = 3}), std::to_string(getpriority(PRIO_PROCESS, 0) + 3) + "\n");
}

TEST(ChildProcesses, OfASessionOfTheirOwnStartAsAfterALogin) {
  signal(SIGPIPE, SIG_IGN);
  const std::string script = "cut -d' ' -f6 /proc/$$/stat; echo $$; grep SigIgn /proc/$$/status; ulimit -c";
  const std::string text = printed_by(script, {.group = Program::Group::session});
  const std::string session = text.substr(0, text.find('\n') + 1);
  EXPECT_EQ(text, session + session + "SigIgn:\t0000000000000000\n0\n");
  EXPECT_THAT(printed_by(script), Not(HasSubstr("SigIgn:\t0000000000000000"))) << "others take what this process has";
  signal(SIGPIPE, SIG_DFL);
}

TEST(ChildProcesses, SayHowTheyEnded) {
  ChildProcess leaves({.arguments = {"/bin/sh", "-c", "exit 3"}});
  EXPECT_TRUE(leaves.ends_within(20));
  EXPECT_EQ(leaves.exit_code(), 3);
  EXPECT_EQ(leaves.signal(), 0);
  ChildProcess absent({.arguments = {"/nowhere/program"}});
  EXPECT_TRUE(absent.ends_within(20));
  EXPECT_EQ(absent.exit_code(), 127);
  ChildProcess stays({.arguments = {"/bin/sleep", "60"}});
  EXPECT_FALSE(stays.ends_within(0.05));
  EXPECT_FALSE(stays.has_ended());
  EXPECT_TRUE(stays.kill(20));
  EXPECT_EQ(stays.exit_code(), std::nullopt);
  EXPECT_EQ(stays.signal(), SIGKILL);
}

TEST(ChildProcesses, AreKilledWithTheirGroupAndEndWithTheirObject) {
  Pipe output = make_pipe();
  const auto begin = std::chrono::steady_clock::now();
  {
    const ChildProcess child({.arguments = {"/bin/sh", "-c", "sleep 60 & sleep 60"},
                              .output = output.write.get(),
                              .group = Program::Group::own});
    output.write.close();
  }
  char byte = 0;
  EXPECT_EQ(read(output.read.get(), &byte, 1), 0) << "all that could write has ended";
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace attune
