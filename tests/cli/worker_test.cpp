// `attune worker` started by hand: it removes no folder but its own.
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <vector>

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
    std::ofstream(scratch() / "mine") << "kept";
    std::ofstream(scratch() / "deep/mine") << "kept";
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
  std::vector<std::string> all_in(const fs::path& folder) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      names.push_back(fs::relative(entry.path(), folder).string());
    return names;
  }
  fs::path scratch() const { return folder_ / "scratch"; }
};

TEST_P(Worker, WhoseLifelineEndsLeavesTheFilesThatItFound) {
  const CommandResult result = start(silence() + "5</dev/null", scratch());
  EXPECT_EQ(result.code, 128 + SIGKILL) << result.err;
  ASSERT_TRUE(fs::exists(scratch()));
  EXPECT_THAT(all_in(scratch()), UnorderedElementsAre("mine", "deep", "deep/mine"));
}

TEST_P(Worker, WhoseLifelineEndsLeavesAnEmptyFolderThatItFound) {
  const fs::path empty = folder_ / "empty";
  fs::create_directory(empty);
  EXPECT_EQ(start(silence() + "5</dev/null", empty).code, 128 + SIGKILL);
  ASSERT_TRUE(fs::exists(empty));
  EXPECT_TRUE(fs::is_empty(empty));
}

TEST_P(Worker, WithoutMoreRequestsLeavesTheFilesThatItFound) {
  const CommandResult result = start("3</dev/null 4>/dev/null 5<>'" + (folder_ / "silent").string() + "'", scratch());
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(all_in(scratch()), UnorderedElementsAre("mine", "deep", "deep/mine"));
}

TEST_P(Worker, MakesAndRemovesTheFolderThatTmpdirPromises) {
  const fs::path promised = scratch() / "promised";
  EXPECT_EQ(start(silence() + "5</dev/null", promised).code, 128 + SIGKILL);
  EXPECT_THAT(all_in(scratch()), UnorderedElementsAre("mine", "deep", "deep/mine"));
}

TEST_P(Worker, WithoutPipesSaysWhatStartsIt) {
  const CommandResult result = start("3<&- 4<&- 5<&-", scratch());
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("started by attune itself"));
  EXPECT_THAT(all_in(scratch()), UnorderedElementsAre("mine", "deep", "deep/mine"));
}

INSTANTIATE_TEST_SUITE_P(, Worker, testing::Values("device", "compile"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace attune::test
