// A user without a folder for files: commands that look wisdom up go on without it.
#include <sys/stat.h>
#include <unistd.h>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class WithoutHome : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    if (geteuid() != 0) GTEST_SKIP() << "only root can become a user that stands in no password file";
    fs::copy_file(ATTUNE_BUILD_DIR "/bin/attune", program());
    write("scale.cu", content_of(scale()));
    ASSERT_EQ(chown(folder_.c_str(), nobody, nobody), 0);
  }

  CommandResult homeless(std::vector<std::string> arguments) const {
    const std::string id = std::to_string(nobody);
    arguments.insert(arguments.begin(), {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups", program()});
    CommandOptions options;
    for (const char* const variable : {"HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "ATTUNE_DB", "ATTUNE_CACHE"})
      options.environment[variable] = "";
    options.environment["ATTUNE_DEVICE"] = "host";
    return run_command(arguments, options);
  }
  std::string program() const { return (folder_ / "attune").string(); }
  std::string kernel() const { return (folder_ / "scale.cu").string(); }
  std::string place(const std::string& name) const { return (folder_ / name).string(); }

  static constexpr unsigned nobody = 54321;
};

TEST_F(WithoutHome, CommandsThatLookWisdomUpGoOnWithoutItAndSaySoOnce) {
  const std::vector<std::vector<std::string>> commands = {
      {"plan", kernel()},
      {"prepare", kernel(), "--architecture", "host", "--problem", "n=100", "--cache", place("cache")},
      {"export", kernel(), "--format", "header", "-o", place("scale.hpp")},
      {"export", kernel(), "--format", "bundle", "--architecture", "host", "--cache", place("cache"), "-o",
       place("scale.bundle")},
      {"bench", kernel(), "--rounds", "2"},
      {"list"},
      {"show", kernel()}};
  for (const std::vector<std::string>& command : commands) {
    const CommandResult result = homeless(command);
    EXPECT_EQ(result.code, 0) << command[0] << ": " << result.out << result.err;
    EXPECT_EQ(count_of(result.err, "there is no wisdom: no place for attune's files"), 1u) << command[0] << result.err;
  }
  EXPECT_GT(fs::file_size(place("scale.hpp")), 100u);
  EXPECT_GT(fs::file_size(place("scale.bundle")), 100u);
}

// What is to be kept needs its place. Turns and cached images are not needed.
TEST_F(WithoutHome, TuningNeedsADatabaseAndNoCache) {
  const CommandResult refused = homeless({"tune", kernel(), "--trials", "1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("no place for attune's files"), HasSubstr("set ATTUNE_DB")));
  const CommandResult tuned = homeless({"tune", kernel(), "--trials", "1", "--db", place("own.db")});
  EXPECT_EQ(tuned.code, 0) << tuned.err;
  EXPECT_THAT(tuned.err, HasSubstr("there is no cache"));
  const CommandResult known = homeless({"plan", kernel(), "--db", place("own.db")});
  EXPECT_THAT(known.out, HasSubstr("rung           exact"));
  EXPECT_THAT(known.err, Not(HasSubstr("no wisdom")));
}

}  // namespace
}  // namespace attune::test
