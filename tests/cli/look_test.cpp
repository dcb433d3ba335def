// The commands that only look: help, version, devices, space, check, plan, list, show, export.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Look : public Workbench {};

TEST_F(Look, HelpTeachesByExample) {
  for (const char* command : {"tune", "check", "plan", "list", "show", "space", "calibrate", "export", "devices"}) {
    const CommandResult result = attune({command, "--help"});
    EXPECT_EQ(result.code, 0);
    EXPECT_THAT(result.out, AllOf(HasSubstr("usage: attune " + std::string(command)), HasSubstr("examples")))
        << command;
  }
  EXPECT_THAT(attune({"--help"}).out, AllOf(HasSubstr("tune"), HasSubstr("examples")));
}

TEST_F(Look, VersionNamesWhatWasFound) {
  EXPECT_THAT(attune({"--version"}).out,
              AllOf(HasSubstr("attune 0.1.0"), HasSubstr("NVRTC"), HasSubstr("driver"), HasSubstr("SQLite  3.")));
  CommandOptions options;
  options.environment["ATTUNE_NVRTC"] = "none";
  EXPECT_THAT(attune({"--version"}, options).out, HasSubstr("NVRTC   none"));
}

TEST_F(Look, WithoutNvrtcTheHostDeviceTunes) {
  CommandOptions options;
  options.environment["ATTUNE_NVRTC"] = "none";
  const CommandResult result = attune({"tune", scale(), "--trials", "2"}, options);
  EXPECT_EQ(result.code, 0) << result.err;
  const CommandResult check = attune({"check", scale(), "--device", "sm_90"}, options);
  EXPECT_EQ(check.code, 1);
  EXPECT_THAT(check.err, HasSubstr("NVRTC"));
}

TEST_F(Look, DevicesListsTheHost) {
  EXPECT_THAT(attune({"devices"}).out, HasSubstr("host"));
  std::istringstream lines(attune({"devices", "--json"}).out);
  bool host = false;
  for (std::string line; std::getline(lines, line);) host |= nlohmann::json::parse(line).at("kind") == "host";
  EXPECT_TRUE(host);
}

TEST_F(Look, SpaceCountsAndListsWithoutAGpu) {
  EXPECT_EQ(attune({"space", scale(), "--device", "sm_90", "--count"}).out, "5\n");
  EXPECT_EQ(attune({"space", scale(), "--device", "sm_75", "--list", "2"}).out, "BLOCK=64 ITEMS=1\nBLOCK=64 ITEMS=2\n");
  EXPECT_THAT(attune({"space", scale()}).out, AllOf(HasSubstr("5 legal"), HasSubstr("16.67 %  BLOCK * ITEMS <= 128")));
}

TEST_F(Look, BuiltInSpacesHaveTheSizesPromised) {
  EXPECT_GE(std::stoll(attune({"space", "transpose", "--device", "sm_90", "--count"}).out), 200);
  EXPECT_GE(std::stoll(attune({"space", "reduce", "--device", "sm_90", "--count"}).out), 1000);
}

TEST_F(Look, CheckRunsOneConfiguration) {
  const CommandResult result = attune({"check", scale(), "--configuration", "BLOCK=32 ITEMS=2", "--problem", "n=1000"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("BLOCK=32 ITEMS=2"), HasSubstr("verdict: ok"), HasSubstr("scale<float, 2>")));
}

TEST_F(Look, CheckShowsTheLogOfACompileErrorVerbatim) {
  const CommandResult result = attune({"check", scale_with("T(3)", "three")});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: compile_error"), HasSubstr("three")));
}

TEST_F(Look, CheckFindsAWriteBehindAnArray) {
  const CommandResult result = attune({"check", scale_with("if (first + i < n) y", "if (first + i <= n) y")});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: guard"), HasSubstr("wrote outside argument `y`")));
}

TEST_F(Look, CheckNamesABarrierThatNotAllReach) {
  CommandOptions one_block_at_a_time;
  one_block_at_a_time.environment["ATTUNE_HOST_THREADS"] = "1";
  const CommandResult result = attune(
      {"check",
       scale_with("for (int i = 0; i < ITEMS; ++i)",
                  "if (threadIdx.x > 0) __syncthreads(); else __syncwarp();\n  for (int i = 0; i < ITEMS; ++i)")},
      one_block_at_a_time);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("__syncthreads"), HasSubstr("block (0,0,0)")));
}

TEST_F(Look, CheckNamesTheRuleThatAConfigurationBreaks) {
  const CommandResult result = attune({"check", scale(), "--configuration", "BLOCK=128 ITEMS=2"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("verdict: restricted"), HasSubstr("BLOCK * ITEMS <= 128"), HasSubstr("BLOCK=128")));
}

TEST_F(Look, PlanSaysWhichRungAndWhy) {
  const CommandResult before = attune({"plan", scale()});
  EXPECT_EQ(before.code, 0) << before.err;
  EXPECT_THAT(before.out, AllOf(HasSubstr("rung           none"), HasSubstr("attune tune")));
  ASSERT_EQ(attune({"tune", scale()}).code, 0);
  EXPECT_THAT(attune({"plan", scale()}).out, HasSubstr("rung           exact"));
  EXPECT_THAT(attune({"plan", scale(), "--problem", "n=6000"}).out, HasSubstr("rung           near problem"));
  EXPECT_THAT(attune({"plan", scale(), "--problem", "n=60000"}).out, HasSubstr("rung           none"));
}

TEST_F(Look, PlanTakesAFileThatIsNamedAsABuiltInKernel) {
  const CommandResult result = attune({"plan", ATTUNE_SOURCE_DIR "/kernels/transpose.cu"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("transpose for width=1024"));
}

TEST_F(Look, WhatWasLearnedIsListedShownAndExported) {
  EXPECT_THAT(attune({"list"}).out,
              AllOf(HasSubstr("axpy"), HasSubstr("transpose"), HasSubstr("reduce"), HasSubstr("no records")));
  EXPECT_THAT(attune({"show", "transpose"}).out, HasSubstr("no records of transpose yet"));
  ASSERT_EQ(attune({"tune", scale()}).code, 0);
  EXPECT_THAT(attune({"list"}).out, AllOf(HasSubstr("scale"), HasSubstr("1 record")));
  EXPECT_THAT(attune({"show", "scale"}).out,
              AllOf(HasSubstr("scale n=5000 T=float"), HasSubstr("] over the default"), HasSubstr("effort measure")));
  const std::string file = (folder_ / "out.json").string();
  ASSERT_EQ(attune({"export", "--format", "json", "-o", file}).code, 0);
  std::ifstream in(file);
  const auto exported = nlohmann::json::parse(in);
  EXPECT_EQ(exported.at("format"), "attune-wisdom");
  ASSERT_EQ(exported.at("records").size(), 1u);
  EXPECT_EQ(nlohmann::json::parse(attune({"export", "--format", "json"}).out), exported);
}

TEST_F(Look, AnExportFollowsALinkAndLeavesAPipeAPipe) {
  const std::filesystem::path file = folder_ / "real.json", link = folder_ / "link.json", pipe = folder_ / "pipe";
  std::ofstream(file) << "old";
  std::filesystem::create_symlink(file, link);
  ASSERT_EQ(attune({"export", "-o", link.string()}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_GT(std::filesystem::file_size(file), 3u);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_EQ(attune({"export", "-o", pipe.string()}).code, 0);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  char first = 0;
  EXPECT_EQ(read(reader, &first, 1), 1);
  EXPECT_EQ(first, '{');
  close(reader);
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST_F(Look, AnExportOntoTheDatabaseInUseIsRefused) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  const std::string before = content_of(database());
  const std::string link = (folder_ / "link.json").string(), hard_link = (folder_ / "hard.json").string();
  std::filesystem::create_symlink(database(), link);
  std::filesystem::create_hard_link(database(), hard_link);
  const std::string detour = (folder_ / ".." / folder_.filename() / "wisdom.db").string();
  for (const std::string& output : {database(), detour, link, hard_link, database() + "-journal", database() + "-wal",
                                    database() + "-shm", link + "-journal"}) {
    for (const std::string& used : {database(), link}) {
      const CommandResult result = attune({"export", "-o", output, "--db", used});
      EXPECT_EQ(result.code, 2) << output;
      EXPECT_THAT(result.err, AllOf(HasSubstr("-o " + output), HasSubstr("the wisdom database"),
                                    HasSubstr("name another file, such as")));
      EXPECT_EQ(content_of(database()), before) << output;
      EXPECT_FALSE(output.ends_with("-wal") && std::filesystem::exists(output));
    }
  }
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(content_of(hard_link), before);
  EXPECT_THAT(attune({"list"}).out, HasSubstr("1 record"));
}

TEST_F(Look, AnExportOntoAnyWisdomDatabaseIsRefused) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  const std::filesystem::path other = folder_ / "other.sqlite";
  std::filesystem::copy_file(database(), other);
  for (const std::string& output : {other.string(), other.string() + "-journal"}) {
    const CommandResult result = attune({"export", "-o", output});
    EXPECT_EQ(result.code, 2) << output;
    EXPECT_THAT(result.err, AllOf(HasSubstr("the wisdom database " + other.string()), HasSubstr("other.json")));
    EXPECT_EQ(content_of(other), content_of(database()));
  }
}

TEST_F(Look, AnExportInThePlaceOfADatabaseToComeIsRefused) {
  EXPECT_EQ(attune({"export", "-o", database()}).code, 2);
  EXPECT_FALSE(std::filesystem::exists(database()));
}

TEST_F(Look, AnExportLeavesTheFilesBesideItsTarget) {
  const std::filesystem::path beside = folder_ / "out.json.part";
  std::ofstream(beside) << "mine";
  ASSERT_EQ(attune({"export", "-o", (folder_ / "out.json").string()}).code, 0);
  EXPECT_EQ(content_of(beside), "mine");
}

TEST_F(Look, AnExportToAFullDiskLeavesTheOldFile) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  const std::string file = (folder_ / "out.json").string();
  std::ofstream(file) << "old";
  CommandOptions options;
  options.file_size_limit = 16;
  EXPECT_EQ(attune({"export", "-o", file}, options).code, 1);
  std::ifstream in(file);
  std::string kept;
  in >> kept;
  EXPECT_EQ(kept, "old");
}

}  // namespace
}  // namespace attune::test
