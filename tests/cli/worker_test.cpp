// `attune worker` started by hand: it removes no folder but its own.
#include <sys/stat.h>

#include <csignal>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Worker : public Workbench, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    fs::create_directories(scratch() / "deep");
    for (const char* name : {"scratch/mine", "scratch/deep/mine"}) write(name, "kept");
    ASSERT_EQ(mkfifo((folder_ / "silent").c_str(), 0600), 0);
  }
  // Starts the worker with these redirections ("5</dev/null": a lifeline that has ended).
  CommandResult start(const std::string& redirections, const fs::path& temporary) const {
    CommandOptions options;
    options.environment["TMPDIR"] = temporary.string();
    options.timeout_seconds = 30;
    return run_command(
        {"/bin/sh", "-c",
         "exec '" ATTUNE_BUILD_DIR "/bin/attune' worker " + std::string(GetParam()) + " --device host " + redirections},
        options);
  }
  // Requests that neither come nor end.
  std::string silence() const { return "3<>'" + (folder_ / "silent").string() + "' 4>/dev/null "; }
  void expect_the_files_that_it_found() const {
    ASSERT_TRUE(fs::exists(scratch()));
    std::vector<std::string> names = names_in(scratch());
    for (int i = 0; i < 100 && names.size() != 3; ++i) {  // a guard ends a moment after its worker
      usleep(100'000);
      names = names_in(scratch());
    }
    EXPECT_THAT(names, UnorderedElementsAre("mine", "deep", "deep/mine"));
  }
  static std::vector<std::string> names_in(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code vanished;
    for (const auto& entry : fs::recursive_directory_iterator(folder, vanished))
      names.push_back(fs::relative(entry.path(), folder).string());
    return names;
  }
  fs::path scratch() const { return folder_ / "scratch"; }
};

// TMPDIR: a folder with files; an empty one; one that is promised and that the worker makes itself.
TEST_P(Worker, WhoseLifelineEndsLeavesWhatItFoundAndNothingElse) {
  const fs::path empty = folder_ / "empty";
  fs::create_directory(empty);
  for (const fs::path& temporary : {scratch(), empty, scratch() / "promised"}) {
    const CommandResult result = start(silence() + "5</dev/null", temporary);
    EXPECT_EQ(result.code, 128 + SIGKILL) << result.err;
    expect_the_files_that_it_found();
  }
  ASSERT_TRUE(fs::exists(empty));
  for (int i = 0; i < 100 && !fs::is_empty(empty); ++i) usleep(100'000);
  EXPECT_TRUE(fs::is_empty(empty));
}

TEST_P(Worker, WithoutMoreRequestsLeavesTheFilesThatItFound) {
  const CommandResult result = start("3</dev/null 4>/dev/null 5<>'" + (folder_ / "silent").string() + "'", scratch());
  EXPECT_EQ(result.code, 0) << result.err;
  expect_the_files_that_it_found();
}

TEST_P(Worker, WithoutPipesSaysWhatStartsIt) {
  const CommandResult result = start("3<&- 4<&- 5<&-", scratch());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("started by attune itself"));
  expect_the_files_that_it_found();
}

INSTANTIATE_TEST_SUITE_P(, Worker, testing::Values("device", "compile"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace attune::test
