// What a command writes destroys neither what it is made from nor what attune keeps, and is whole or not there.
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Outputs : public Workbench {
 protected:
  using Command = std::function<CommandResult(const std::string& output)>;

  // A kernel with a header beside it and another one in a folder of -I.
  void SetUp() override {
    Workbench::SetUp();
    fs::create_directory(folder_ / "common");
    header_ = write("tile.cuh", "#pragma once\n");
    common_ = write("common/common.cuh", "#pragma once\n");
    kernel_ =
        write("s.cu", content_of(scale_with("[parameters]", "[compile]\noptions = [\"-Icommon\"]\n[parameters]")) +
                          "#include \"tile.cuh\"\n#include <common.cuh>\n");
  }

  // Every command that writes a file.
  std::vector<std::pair<std::string, Command>> commands() const {
    std::vector<std::pair<std::string, Command>> all;
    for (const std::string format : {"header", "bundle", "json", "csv"})
      all.emplace_back("export " + format, [=, this](const std::string& output) {
        return attune({"export", kernel_, "--format", format, "-o", output});
      });
    for (const std::string option : {"--output", "--depfile"})
      all.emplace_back("attune-embed " + option, [=, this](const std::string& output) {
        std::vector<std::string> arguments = {kernel_, option, output};
        if (option == "--depfile") arguments.insert(arguments.end(), {"--output", (folder_ / "made.hpp").string()});
        return run("attune-embed", arguments);
      });
    return all;
  }

  // Expects that every command refuses the output, names `victim`, and leaves it and all else as it was.
  void expect_refused(const std::string& output, const std::string& victim) const {
    const std::string before = fs::is_regular_file(victim) ? content_of(victim) : "";
    for (const auto& [name, command] : commands()) {
      SCOPED_TRACE(name + " to " + output);
      const CommandResult result = command(output);
      EXPECT_NE(result.code, 0);
      EXPECT_THAT(result.err, AllOf(HasSubstr(output), HasSubstr(fs::path(victim).filename().string()),
                                    HasSubstr("name another file")));
      EXPECT_EQ(fs::is_regular_file(victim) ? content_of(victim) : "", before);
    }
  }

  CommandResult in_shell(const std::string& script) const {
    return run_command({"/bin/bash", "-c", script},
                       {.environment = {{"ATTUNE_DB", database()}, {"PATH", ATTUNE_BUILD_DIR "/bin:/usr/bin:/bin"}}});
  }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static mode_t mode_of(const fs::path& file) {
    struct stat status {};
    EXPECT_EQ(stat(file.c_str(), &status), 0);
    return status.st_mode & 07777;
  }

  std::string kernel_, header_, common_;
};

TEST_F(Outputs, AreNoFileOfTheKernelByWhateverPath) {
  fs::create_symlink("s.cu", folder_ / "link.hpp");
  fs::create_symlink("link.hpp", folder_ / "link of link.hpp");
  fs::create_hard_link(kernel_, folder_ / "hard.hpp");
  fs::create_symlink("tile.cuh", folder_ / "tile.hpp");
  for (const std::string name : {"s.cu", "link.hpp", "link of link.hpp", "hard.hpp", "common/../s.cu"})
    expect_refused((folder_ / name).string(), kernel_);
  expect_refused(header_, header_);
  expect_refused((folder_ / "tile.hpp").string(), header_);
  expect_refused(common_, common_);
  const std::string before = content_of(kernel_);
  const CommandResult result =
      in_shell(fmt::format("attune export '{0}' --format header -o /dev/fd/3 3>>'{0}'", kernel_));
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(kernel_));
  EXPECT_EQ(content_of(kernel_), before);
}

TEST_F(Outputs, AreNoFileThatAttuneKeeps) {
  output_of({"tune", scale(), "--trials", "1"});
  fs::copy_file(database(), folder_ / "other.db");
  fs::create_symlink("wisdom.db", folder_ / "link.json");
  fs::create_symlink("other.db-journal", folder_ / "journal.json");
  fs::create_hard_link(database(), folder_ / "hard.json");
  for (const std::string name : {"wisdom.db", "link.json"}) expect_refused((folder_ / name).string(), database());
  expect_refused((folder_ / "hard.json").string(), (folder_ / "hard.json").string());
  for (const std::string name : {"wisdom.db-journal", "wisdom.db-wal", "wisdom.db-shm"})
    expect_refused((folder_ / name).string(), database());
  for (const std::string name : {"other.db", "journal.json"})
    expect_refused((folder_ / name).string(), (folder_ / "other.db").string());
  const fs::path images = folder_ / "cache" / "images";
  ASSERT_FALSE(fs::is_empty(images));
  const std::string image = fs::directory_iterator(images)->path();
  expect_refused(image, image);
}

TEST_F(Outputs, AreNoDatabaseThatIsStillToBeMade) {
  EXPECT_EQ(attune({"export", "-o", database()}).code, 2);
  EXPECT_EQ(attune({"export", "-o", database() + "-journal"}).code, 2);
  EXPECT_FALSE(fs::exists(database()));
}

TEST_F(Outputs, AreNotTheSameFileTwice) {
  const std::string made = (folder_ / "made.hpp").string();
  fs::create_symlink("made.hpp", folder_ / "link.hpp");
  for (const std::string second : {"made.hpp", "link.hpp"}) {
    const CommandResult result =
        run("attune-embed", {kernel_, "--output", made, "--depfile", (folder_ / second).string()});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, HasSubstr("another output"));
    EXPECT_FALSE(fs::exists(made));
  }
}

TEST_F(Outputs, KeepModeAndLinksOfWhatTheyReplace) {
  for (const auto& [name, command] : commands()) {
    SCOPED_TRACE(name);
    const std::string target = write("target", "old");
    fs::permissions(target, fs::perms(0664));
    fs::remove(folder_ / "link");
    fs::create_symlink("target", folder_ / "link");
    const CommandResult result = command((folder_ / "link").string());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
    EXPECT_NE(content_of(target), "old");
    EXPECT_EQ(mode_of(target), 0664u);
  }
}

TEST_F(Outputs, AreNoReadOnlyFileAndNoFolder) {
  const std::string target = write("target", "old");
  fs::permissions(target, fs::perms(0444));
  expect_refused(target, target);
  expect_refused((folder_ / "common").string(), (folder_ / "common").string());
}

TEST_F(Outputs, GoIntoPipesAndDevices) {
  const std::string text = output_of({"export", kernel_, "--format", "header"});
  const std::string command = fmt::format("attune export '{}' --format header 2>/dev/null -o ", kernel_);
  EXPECT_EQ(in_shell(command + "/dev/stdout | cat").out, text);
  EXPECT_EQ(in_shell(command + ">(cat) | cat").out, text);
  EXPECT_EQ(in_shell(command + "/dev/null").code, 0);
  const std::string pipe = (folder_ / "pipe").string();
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(in_shell(fmt::format("cat '{0}' & {1} '{0}'; wait", pipe, command)).out, text);
  EXPECT_EQ(
      in_shell(fmt::format("{{ echo before; {} /dev/stdout; echo after; }} > '{}/all'", command, folder_.string()))
          .code,
      0);
  EXPECT_EQ(content_of(folder_ / "all"), "before\n" + text + "after\n");
  const CommandResult embedded = in_shell(fmt::format("attune-embed '{}' --output /dev/stdout | head -c 8", kernel_));
  EXPECT_EQ(embedded.out, "attuneBN") << embedded.err;
}

TEST_F(Outputs, AreWholeOrTheOldOnes) {
  for (const auto& [name, command] : commands()) {
    if (name == "export json" || name == "export csv" || name == "attune-embed --depfile") continue;  // small
    SCOPED_TRACE(name);
    const std::string target = write("target", "old");
    const std::size_t before = files_in_folder();
    const bool is_export = name.starts_with("export");
    std::vector<std::string> arguments = {kernel_, is_export ? "-o" : "--output", target};
    if (is_export) arguments.insert(arguments.begin(), "export");
    if (is_export) arguments.insert(arguments.end(), {"--format", name.substr(7)});
    const CommandResult result = run(is_export ? "attune" : "attune-embed", arguments, {.file_size_limit = 256});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr(target), HasSubstr("ulimit -f"), Not(HasSubstr("the folder"))));
    EXPECT_EQ(content_of(target), "old");
    EXPECT_EQ(files_in_folder(), before);
  }
}

}  // namespace
}  // namespace attune::test
