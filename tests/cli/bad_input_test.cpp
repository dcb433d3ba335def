// What a user gets for input that cannot work: a message that names the thing, an exit code, and nothing lost.
#include <sqlite3.h>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class BadInput : public Workbench {};

struct Refusal {
  const char* what;
  std::vector<std::string> arguments;
  std::vector<std::string> words;  // that standard error must hold
  int code = 2;
};

TEST_F(BadInput, OnTheCommandLineIsNamed) {
  const std::string s = scale(), bowl = "replay:" ATTUNE_TEST_DATA "/recordings/bowl.json";
  std::vector<Refusal> refusals = {
      {"no command", {}, {}},
      {"unknown command", {"tume"}, {"tume", "tune"}},
      {"unknown option", {"tune", s, "--time-limt", "3s"}, {"--time-limt", "--time-limit"}},
      {"no kernel", {"tune"}, {"usage"}},
      {"unknown kernel", {"tune", "transpoze"}, {"transpoze", "transpose"}},
      {"a name without end", {"plan", std::string(300, 'A')}, {"there is no kernel `AAA"}},
      {"missing file", {"tune", "/nowhere/k.cu"}, {"/nowhere/k.cu"}, 1},
      {"unknown problem name", {"tune", s, "--problem", "m=10"}, {"m", "n"}},
      {"size 0", {"tune", s, "--problem", "n=0"}, {"n=0", "empty = \"nothing\""}},
      {"negative size", {"tune", s, "--problem", "n=-5"}, {"n", "-5"}},
      {"size 2^63", {"tune", s, "--problem", "n=2**63"}, {"n"}},
      {"size 9223372036854775808", {"tune", s, "--problem", "n=9223372036854775808"}, {"n"}},
      {"type not listed", {"tune", s, "--problem", "T=double"}, {"double", "float"}},
      {"bad formula", {"tune", s, "--problem", "n=2*"}, {"n=2*"}},
      {"unknown parameter", {"tune", s, "--parameters", "BLOK=32"}, {"BLOK", "BLOCK"}},
      {"value not listed", {"tune", s, "--parameters", "BLOCK=33"}, {"33", "BLOCK"}},
      {"bad time", {"tune", s, "--time-limit", "soon"}, {"soon", "60s"}},
      {"no trials", {"tune", s, "--trials", "0"}, {"trials"}},
      {"unknown strategy", {"tune", s, "--strategy", "randon"}, {"did you mean `random`?"}},
      {"another tuner's strategy",
       {"tune", s, "--strategy", "pso"},
       {"here it is `particle_swarm`", "attune strategies"}},
      {"a C++ type", {"tune", s, "--problem", "T=int"}, {"did you mean `int32`?"}},
      {"its option", {"tune", s, "--strategy", "random:speed=3"}, {"strategy `random` has no option `speed`"}},
      {"unknown effort", {"tune", s, "--effort", "exhaustiv"}, {"did you mean `exhaustive`?"}},
      {"unknown device", {"tune", s, "--device", "gpu"}, {"gpu", "cuda", "host"}},
      {"unknown format", {"export", "--format", "xml"}, {"xml", "json"}},
      {"unknown architecture", {"space", s, "--device", "sm_91"}, {"sm_91", "sm_90"}},
      {"unknown kernel to show", {"show", "transpoze"}, {"transpose"}},
      {"a recording to calibrate", {"calibrate", "--device", bowl}, {"is a recording"}},
      {"problems of a recording", {"tune", "--device", bowl, "--problem", "a", "--problem", "b"}, {}},
      {"no recording", {"tune", "--device", "replay:"}, {"replay:FILE"}},
      {"missing recording", {"tune", "--device", "replay:/nowhere.json"}, {"/nowhere.json"}},
      {"bad seed of noise", {"tune", "--device", bowl + ",seed=x"}, {"seed=1"}},
      {"estimate on a recording", {"tune", "--device", bowl, "--effort", "estimate"}, {"measure"}},
  };
  for (const auto& [option, value] : Replacements{
           {"--target", "2"}, {"--target", "fast"}, {"--target", "0x"}, {"--patience", "0"}, {"--patience", "some"}})
    refusals.push_back({"stop rule", {"tune", s, option, value}, {"`" + value + "`"}});
  for (const auto& [objective, why] :
       Replacements{{"tiem", "names tiem; known: time, energy"},
                    {"time,,registers", "an objective is missing"},
                    {"2", "the same for every configuration"},
                    {"time +", "time +"},
                    {"energy", "does not report"},
                    {"time / flops", "needs flops, which [metrics] of scale does not give"}})
    refusals.push_back({"objective", {"tune", s, "--objective", objective}, {why}});
  for (const std::string name : {"thread", "leak", "address,", "addres,undefined", ""})
    refusals.push_back(
        {"sanitizer", {"check", s, "--device", "host", "--sanitize", name}, {"no sanitizer `", "address, undefined"}});
  for (const std::string device : {"cuda", "cuda:1", "sm_90"})
    refusals.push_back({"device of a sanitizer",
                        {"check", s, "--device", device, "--sanitize", "address"},
                        {"--sanitize runs on the host device only", "--device host"}});
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.what);
    EXPECT_EQ(expect_failure(refusal.code, refusal.arguments, refusal.words).out, "");
  }
  EXPECT_THAT(attune({"check", s, "--device", bowl}).err, Not(HasSubstr("did you mean")));
}

// A plan for 0 is an answer; a session for 0 has nothing to measure.
TEST_F(BadInput, OfSizeZeroIsNothingToTune) {
  const std::string file = scale_with("name = \"scale\"", "name = \"scale\"\nempty = \"nothing\"");
  for (const char* const command : {"tune", "check", "bench", "space"})
    expect_failure(2, {command, file, "--problem", "n=0"}, {"n=0", "nothing to tune"});
  EXPECT_THAT(on_one_line(output_of({"plan", file, "--problem", "n=0"})), HasSubstr("launches nothing for n=0"));
  expect_failure(2, {"plan", file, "--problem", "n=-1"}, {"from 0 to"});
}

TEST_F(BadInput, InAKernelFileIsShownWithItsPlaceAndOnce) {
  struct Case {
    const char* what;
    const char *before, *after;
    int code;
    std::vector<std::string> words, once;
  };
  const char *const rule = "\"BLOCK * ITEMS <= 128\"", *const sum = "y[i] = x[i] + x[i] + x[i]";
  const Case cases[] = {
      {"a misspelt parameter", rule, "\"BLOCK * ITEM <= 128\"", 1, {"scale.cu:12:", "ITEM", "ITEMS"}, {}},
      {"a type of C++", "\"int32\"", "\"int\"", 1, {"scale.cu:7:", "unknown type `int`; did you mean `int32`?"}, {}},
      {"another of an argument", "\"int64\"", "\"long\"", 1, {"unknown type `long`; did you mean `int64`?"}, {}},
      {"rules that leave nothing",
       rule,
       "\"n > 0\", \"BLOCK > 32 || n > 9999\", \"ITEMS * n > 2**40\"",
       3,
       {"no configuration is legal", "100.00 %  ITEMS * n > 2**40", "33.33 %  BLOCK > 32 || n > 9999"},
       {}},
      {"a grid of zero",
       "ceil_div(n, BLOCK * ITEMS)",
       "n / (BLOCK * 1000)",
       3,
       {"n / (BLOCK * 1000)", "a limit of the device"},
       {}},
      {"an error that only instantiations show: the reference compiles, no configuration does",
       "y[first + i] = T(3)",
       "y[first + i] = T::three",
       3,
       {"5 compile_error", "scale.cu:34", "three"},
       {"none of the 5", "for instance"}},
      {"no compiling at all", "y[first + i] = T(3)", "y[first + i] = three", 3, {"does not compile"}, {"scale.cu:34"}},
      {"a reference that disagrees with everything",
       sum,
       "y[i] = x[i] + x[i]",
       3,
       {"5 wrong_result", "[[reference]]", "expected"},
       {}},
      {"an entry that is not there",
       "\"scale<T, ITEMS>\"",
       "\"scael<T, ITEMS>\"",
       3,
       {"scale.cu:14:", "'scael' was not declared"},
       {"'scael' was"}},
      {"template arguments that do not fit",
       "\"scale<T, ITEMS>\"",
       "\"scale<ITEMS, T>\"",
       3,
       {"scale.cu:14:", "template<class T, int ITEMS> void scale("},
       {"cannot resolve"}},
      {"a reference that does not compile", sum, "y[i] = T::undeclared", 1, {"[[reference]]", "undeclared"}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    const CommandResult result = attune({"tune", scale_with(c.before, c.after)});
    EXPECT_EQ(result.code, c.code) << result.out << result.err;
    for (const std::string& word : c.words) EXPECT_THAT(result.err, HasSubstr(word));
    for (const std::string& word : c.once) EXPECT_EQ(count_of(result.err, word), 1u) << result.err;
  }
}

// Sequences that a terminal would obey, in files that come from elsewhere: each is shown as text.
TEST_F(BadInput, ControlCharactersOfForeignFilesDoNotReachTheTerminal) {
  const std::string t1 = ATTUNE_TEST_DATA "/t1/bat_builtin_vectors.json",
                    recording = ATTUNE_TEST_DATA "/recordings/bowl.json";
  const auto changed = [this](const std::string& name, const std::string& file, const std::string& before,
                              const std::string& after) {
    std::string text = content_of(file);
    for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += after.size())
      text.replace(at, before.size(), after);
    return write(name, text);
  };
  const std::string rule = "\"BLOCK * ITEMS <= 128\"", values = "ITEMS = [1, 2]",
                    escape_in_code =
                        changed("code.cu", scale(), "= T(3)", "= T(3); static_assert(ITEMS == 3, \"\x1b[2J\")");
  struct Case {
    std::vector<std::string> command;
    const char* shown;
  };
  const Case cases[] = {
      {{"check", changed("name.cu", scale(), "BLOCK = [64", "\"BL\\u001b[2JOCK\" = [64")}, "\\x1b[2J"},
      {{"check", changed("toml.cu", scale(), values, "ITEMS = [1, 2\x9b]")}, "not valid UTF-8"},
      {{"space", changed("value.cu", scale(), values, values + "\nMODE = [\"\\u001b[2J\"]"), "--list", "2"},
       "\\x1b[2J"},
      {{"space", changed("rule.cu", scale(), rule, "\"BLOCK != '\\u001b[2J'\"")}, "\\x1b[2J"},
      {{"check", escape_in_code}, "[2J"},
      {{"tune", escape_in_code}, "[2J"},
      {{"check", changed("c1.cu", scale(), "= T(3)", "= \xc2\x9b[2J three")}, "9b"},
      {{"space", changed("space.json", t1, "BLOCK_SIZE", "BLOCK\\u001b[2JSIZE")}, "\\x1b[2J"},
      {{"tune", "--trials", "2", "--device",
        "replay:" + changed("bowl.json", recording, "Test GPU", "Test\\u001b[2JGPU")},
       "[2JGPU"},
  };
  for (const Case& c : cases) {
    for (const bool json : {false, true}) {
      std::vector<std::string> command = c.command;
      if (json) command.push_back("--json");
      SCOPED_TRACE(testing::PrintToString(command));
      const CommandResult result = attune(command);
      const std::string all = result.out + result.err;
      EXPECT_THAT(all, Not(testing::AnyOf(HasSubstr("\x1b"), HasSubstr("\x9b"))));
      if (json) {
        EXPECT_NO_THROW(events_in(result.out));
      } else {
        EXPECT_THAT(all, HasSubstr(c.shown));
      }
    }
  }
}

TEST_F(BadInput, ValuesOfAnyLengthAreCutInMessages) {
  const std::string end = "END", value = std::string(70000, 'A') + end, s = scale();
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{value},
                                             {"plan", value},
                                             {"plan", "/" + value + ".cu"},
                                             {"plan", s, "--problem", "n=" + value},
                                             {"plan", s, "--problem", value + "=1"},
                                             {"plan", s, "--device", value},
                                             {"plan", s, "--" + value},
                                             {"tune", s, "--strategy", value},
                                             {"tune", s, "--objective", value},
                                             {"tune", s, "--time-limit", value},
                                             {"tune", s, "--parameters", "BLOCK=" + value},
                                             {"space", s, "--why", value + "=1"},
                                             {"export", value},
                                             {"export", s, "--format", value},
                                             {"export", s, "--format", "header", "--namespace", value + "-"},
                                             {"export", s, "--format", "header", "-o", "/" + value},
                                             {"list", "--db", "/" + value}}) {
    const CommandResult result = attune(arguments);
    EXPECT_NE(result.code, 0);
    EXPECT_LT(result.err.size() + result.out.size(), 12000u) << testing::PrintToString(arguments).substr(0, 80);
    EXPECT_NE(result.err, "");
  }
  EXPECT_LT(run("attune-embed", {"/" + value + ".cu", "--output", "x"}).err.size(), 12000u);
  const std::string err = attune({value}).err;
  EXPECT_THAT(err, AllOf(HasSubstr("unknown command `AAA"), HasSubstr("bytes left out"), HasSubstr(end + "`; known:")));
}

TEST_F(BadInput, ALimitOfOpenFilesIsNamed) {
  const std::string command = "ulimit -n 9; exec '" ATTUNE_BUILD_DIR "/bin/attune' tune '" + scale() + "' --trials 1";
  const CommandResult result = run_command(
      {"/bin/sh", "-c", command},
      {.environment = {
           {"ATTUNE_DEVICE", "host"}, {"ATTUNE_DB", database()}, {"ATTUNE_CACHE", (folder_ / "c").string()}}});
  EXPECT_NE(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("ulimit -n"));
}

TEST_F(BadInput, AVersionOfACompilerIsShownWithoutControlCharacters) {
  const std::string compiler = write("compiler", "#!/bin/sh\nprintf 'g++ \\033[2J 1.0\\n'\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  const CommandResult result = attune({"--version"}, {.environment = {{"ATTUNE_HOST_CXX", compiler}}});
  EXPECT_THAT(result.out, Not(HasSubstr("\x1b")));
}

TEST_F(BadInput, WhatACompilerDidNotMakeIsNamed) {
  for (const std::string instead : {"rm", "rm kernel.so && mkdir"}) {
    const std::string compiler = write(
        "compiler", "#!/bin/sh\ng++ \"$@\" || exit\ncase \"$*\" in *kernel.so*) " + instead + " kernel.so;; esac\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    const CommandResult result = attune({"check", scale()}, {.environment = {{"ATTUNE_HOST_CXX", compiler}}});
    EXPECT_NE(result.code, 0);
    EXPECT_THAT(result.out + result.err, AllOf(HasSubstr("did not make the file kernel.so"),
                                               HasSubstr("ATTUNE_HOST_CXX"), Not(HasSubstr("basic_filebuf"))));
  }
}

TEST_F(BadInput, ADamagedIndexIsSaidByAllThatRead) {
  output_of({"tune", scale(), "--trials", "1"});
  sqlite3* file = nullptr;
  int page = 0;
  ASSERT_EQ(sqlite3_open(database().c_str(), &file), SQLITE_OK);
  const auto take = [](void* result, int, char** values, char**) {
    *static_cast<int*>(result) = std::atoi(values[0]);
    return 0;
  };
  sqlite3_exec(file, "SELECT rootpage FROM sqlite_schema WHERE name = 'kernel_by_code'", take, &page, nullptr);
  sqlite3_close(file);
  ASSERT_GT(page, 0);
  std::string bytes = content_of(database());
  bytes[static_cast<std::size_t>(page) * 4096 - 1] ^= 1;  // of its first entry
  write("wisdom.db", bytes);
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"plan", scale(), "--problem", "n=5000"}, {"list"}, {"show", "scale"}, {"export"}}) {
    const CommandResult result = attune(command);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("an index of the wisdom database"), HasSubstr("REINDEX"))) << command[0];
  }
  expect_failure(1, {"tune", scale()}, {"an index of the wisdom database", "REINDEX"});
}

// Runs statements on the database past attune; those that it leaves open end with the object.
class OtherProgram {
 public:
  OtherProgram(const std::string& file, const char* statements) {
    EXPECT_EQ(sqlite3_open(file.c_str(), &database_), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database_, statements, nullptr, nullptr, nullptr), SQLITE_OK);
  }
  ~OtherProgram() { sqlite3_close(database_); }
  OtherProgram(const OtherProgram&) = delete;
  OtherProgram& operator=(const OtherProgram&) = delete;

 private:
  sqlite3* database_ = nullptr;
};

TEST_F(BadInput, AKernelWithoutItsEndingNamesTheFile) {
  write("mine.cu", content_of(scale()));
  const std::string command = "cd '" + folder_.string() + "' && exec '" ATTUNE_BUILD_DIR "/bin/attune' check mine";
  const CommandResult result = run_command({"/bin/sh", "-c", command});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("there is no kernel `mine`; did you mean the file `mine.cu`?"));
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves more addresses than any limit
TEST_F(BadInput, WantOfMemoryHasAMessage) {
  std::string values = "1";
  for (int i = 2; i < 1000; ++i) values += ", " + std::to_string(i);
  const std::string kernel = scale_with("ITEMS = [1, 2]", "ITEMS = [1, 2]\nA = [" + values + "]\nB = [" + values + "]");
  const CommandResult result = run_command({"/bin/sh", "-c",
                                            "ulimit -v 60000; exec '" ATTUNE_BUILD_DIR "/bin/attune' space '" + kernel +
                                                "' --device sm_90 --sample 4000000"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("out of memory"), HasSubstr("ulimit -v"), Not(HasSubstr("bad_alloc"))));
}
#endif

TEST_F(BadInput, ADatabaseThatIsNoneOfAttunesIsNamedAndLeftAlone) {
  const std::string text = "this is no database, but 60 characters of somebody's own text";
  write("wisdom.db", text);
  expect_failure(1, {"tune", scale()}, {database()});
  EXPECT_EQ(content_of(database()), text);
  std::filesystem::remove(database());
  { const OtherProgram other(database(), "CREATE TABLE mine(x); INSERT INTO mine VALUES (1)"); }
  const std::string before = content_of(database());
  expect_failure(1, {"tune", scale()}, {database()});
  EXPECT_EQ(content_of(database()), before);
  std::filesystem::remove(database());
  std::filesystem::create_directory(database());  // root may read any file, but nobody reads a folder as one
  expect_failure(1, {"tune", scale()}, {database()});
}

TEST_F(BadInput, ALockedDatabaseIsSaidToBeLocked) {
  output_of({"tune", scale(), "--trials", "1"});
  {
    const OtherProgram other(database(), "BEGIN EXCLUSIVE");
    const CommandResult result = attune({"tune", scale()}, {.environment = {{"ATTUNE_DB_WAIT", "1"}}});
    EXPECT_EQ(result.code, 1);
    EXPECT_THAT(result.err, AllOf(HasSubstr(database()), HasSubstr("lock")));
  }
  EXPECT_EQ(attune({"tune", scale()}).code, 0) << "works again once the lock is gone";
}

// Ctrl-C comes while a merge waits for the lock, with its copy made.
TEST_F(BadInput, AnInterruptedMergeLeavesNoCopy) {
  const std::string other = (folder_ / "other.db").string();
  output_of({"tune", scale(), "--trials", "1"});
  output_of({"tune", scale(), "--trials", "2", "--db", other});
  {
    const OtherProgram locks(database(), "BEGIN EXCLUSIVE");
    const CommandResult ended = run_command({"/usr/bin/timeout", "--signal=INT", "--preserve-status", "2",
                                             ATTUNE_BUILD_DIR "/bin/attune", "merge", other, "--into", database()});
    EXPECT_EQ(ended.code, 130) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("interrupted"));
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder_))
    EXPECT_THAT(entry.path().string(), Not(HasSubstr(".new-")));
  EXPECT_THAT(output_of({"merge", other}), HasSubstr("1 session with 2 trials"));
}

TEST_F(BadInput, AFullDiskEndsTheSessionAndKeepsWhatWasCommitted) {
  output_of({"tune", scale(), "--trials", "2"});
  // Two pages: the first write beyond them fails, as on a full disk.
  const CommandResult result = attune({"tune", scale(), "--parameters", "BLOCK=32"}, {.file_size_limit = 8192});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr(database()));
  EXPECT_EQ(of_type(events_of({"tune", scale()}), "session").at(0).at("trials_before"), 2);
}

TEST_F(BadInput, WithoutADriverTheErrorSaysHowToGoOn) {
  const CommandResult result = attune({"tune", scale()}, {.environment = {{"ATTUNE_DEVICE", "cuda"}}});
  if (result.code == 0) GTEST_SKIP() << "this machine has a CUDA driver";
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("driver"), HasSubstr("host")));
}

}  // namespace
}  // namespace attune::test
