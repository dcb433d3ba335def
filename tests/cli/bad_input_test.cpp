// What a user gets for input that cannot work: a message that names the thing, an exit code, and nothing lost.
#include <sqlite3.h>

#include <fstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class BadInput : public Workbench {};

struct Refusal {
  const char* what;
  std::vector<std::string> arguments;
  int code;
  std::vector<std::string> words;  // that standard error must hold
};

TEST_F(BadInput, OnTheCommandLineIsNamed) {
  const std::string s = scale();
  const std::vector<Refusal> refusals = {
      {"no command", {}, 2, {}},
      {"unknown command", {"tume"}, 2, {"tume", "tune"}},
      {"unknown option", {"tune", s, "--time-limt", "3s"}, 2, {"--time-limt", "--time-limit"}},
      {"no kernel", {"tune"}, 2, {"usage"}},
      {"unknown kernel", {"tune", "transpoze"}, 2, {"transpoze", "transpose"}},
      {"missing file", {"tune", "/nowhere/k.cu"}, 1, {"/nowhere/k.cu"}},
      {"unknown problem name", {"tune", s, "--problem", "m=10"}, 2, {"m", "n"}},
      {"size 0", {"tune", s, "--problem", "n=0"}, 2, {"n", "1"}},
      {"negative size", {"tune", s, "--problem", "n=-5"}, 2, {"n", "-5"}},
      {"size 2^63", {"tune", s, "--problem", "n=2**63"}, 2, {"n"}},
      {"size 9223372036854775808", {"tune", s, "--problem", "n=9223372036854775808"}, 2, {"n"}},
      {"type not listed", {"tune", s, "--problem", "T=double"}, 2, {"double", "float"}},
      {"bad formula", {"tune", s, "--problem", "n=2*"}, 2, {"n=2*"}},
      {"unknown parameter", {"tune", s, "--parameters", "BLOK=32"}, 2, {"BLOK", "BLOCK"}},
      {"value not listed", {"tune", s, "--parameters", "BLOCK=33"}, 2, {"33", "BLOCK"}},
      {"bad time", {"tune", s, "--time-limit", "soon"}, 2, {"soon", "60s"}},
      {"no trials", {"tune", s, "--trials", "0"}, 2, {"trials"}},
      {"unknown strategy", {"tune", s, "--strategy", "randon"}, 2, {"random"}},
      {"unknown effort", {"tune", s, "--effort", "mesure"}, 2, {"measure"}},
      {"unknown device", {"tune", s, "--device", "gpu"}, 2, {"gpu", "cuda", "host"}},
      {"unknown format", {"export", "--format", "xml"}, 2, {"xml", "json"}},
      {"unknown architecture", {"space", s, "--device", "sm_91"}, 2, {"sm_91", "sm_90"}},
      {"unknown kernel to show", {"show", "transpoze"}, 2, {"transpose"}},
  };
  for (const Refusal& refusal : refusals) {
    const CommandResult result = attune(refusal.arguments);
    EXPECT_EQ(result.code, refusal.code) << refusal.what << ": " << result.err;
    EXPECT_EQ(result.out, "") << refusal.what;
    for (const std::string& word : refusal.words) EXPECT_THAT(result.err, HasSubstr(word)) << refusal.what;
  }
}

TEST_F(BadInput, AMisspeltParameterInARuleIsShownWithItsPlace) {
  const std::string file = scale_with("BLOCK * ITEMS <= 128", "BLOCK * ITEM <= 128");
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("scale.cu:12:"), HasSubstr("ITEM"), HasSubstr("ITEMS")));
}

TEST_F(BadInput, RulesThatLeaveNothingAreCounted) {
  const std::string file =
      scale_with("\"BLOCK * ITEMS <= 128\"", "\"n > 0\", \"BLOCK > 32 || n > 9999\", \"ITEMS * n > 2**40\"");
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("no configuration is legal"), HasSubstr("100.00 %  ITEMS * n > 2**40"),
                                HasSubstr("33.33 %  BLOCK > 32 || n > 9999")));
}

TEST_F(BadInput, AGridOfZeroIsALimitOfTheDevice) {
  const std::string file = scale_with("ceil_div(n, BLOCK * ITEMS)", "n / (BLOCK * 1000)");
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 3) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("n / (BLOCK * 1000)"), HasSubstr("a limit of the device")));
}

TEST_F(BadInput, AKernelThatNeverCompilesShowsItsLogOnce) {
  // An error that only instantiations show: the reference compiles, no configuration does.
  const CommandResult result = attune({"tune", scale_with("y[first + i] = T(3)", "y[first + i] = T::three")});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("5 compile_error"), HasSubstr("scale.cu:34"), HasSubstr("three")));
  EXPECT_EQ(count_of(result.err, "none of the 5"), 1u);
  EXPECT_EQ(count_of(result.err, "for instance"), 1u);
}

TEST_F(BadInput, AFileThatDoesNotCompileAtAllShowsItsLogOnce) {
  const CommandResult result = attune({"tune", scale_with("y[first + i] = T(3)", "y[first + i] = three")});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("does not compile"), HasSubstr("scale.cu:34")));
  EXPECT_EQ(count_of(result.err, "scale.cu:34"), 1u);
}

TEST_F(BadInput, AReferenceThatDisagreesWithEverythingIsSuspected) {
  const std::string file = scale_with("y[i] = x[i] + x[i] + x[i]", "y[i] = x[i] + x[i]");
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 3) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("5 wrong_result"), HasSubstr("[[reference]]"), HasSubstr("expected")));
}

TEST_F(BadInput, AReferenceThatDoesNotCompileIsAnError) {
  const std::string file = scale_with("y[i] = x[i] + x[i] + x[i]", "y[i] = T::undeclared");
  const CommandResult result = attune({"tune", file});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, AllOf(HasSubstr("[[reference]]"), HasSubstr("undeclared")));
}

TEST_F(BadInput, AForeignDatabaseIsLeftAlone) {
  std::ofstream(database()) << "this is no database, but 60 characters of somebody's own text";
  const CommandResult result = attune({"tune", scale()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(database()));
  std::ifstream file(database());
  std::string kept;
  std::getline(file, kept);
  EXPECT_EQ(kept, "this is no database, but 60 characters of somebody's own text");
}

TEST_F(BadInput, AnotherProgramsDatabaseIsLeftAlone) {
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "CREATE TABLE mine(x); INSERT INTO mine VALUES (1)", nullptr, nullptr, nullptr),
            SQLITE_OK);
  sqlite3_close(other);
  const CommandResult result = attune({"tune", scale()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(database()));
}

TEST_F(BadInput, ADatabaseThatCannotBeReadIsNamed) {
  std::filesystem::create_directory(database());  // root may read any file, but nobody reads a folder as one
  const CommandResult result = attune({"tune", scale()});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr(database()));
}

TEST_F(BadInput, ALockedDatabaseIsSaidToBeLocked) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "1"}).code, 0);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(database().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  CommandOptions options;
  options.environment["ATTUNE_DB_WAIT"] = "1";
  const CommandResult result = attune({"tune", scale()}, options);
  sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  sqlite3_close(other);
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr(database()), HasSubstr("lock")));
  EXPECT_EQ(attune({"tune", scale()}).code, 0) << "works again once the lock is gone";
}

TEST_F(BadInput, AFullDiskEndsTheSessionAndKeepsWhatWasCommitted) {
  ASSERT_EQ(attune({"tune", scale(), "--trials", "2"}).code, 0);
  CommandOptions options;
  options.file_size_limit = 8192;  // two pages: the first write beyond them fails, as on a full disk
  const CommandResult result = attune({"tune", scale(), "--parameters", "BLOCK=32"}, options);
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_THAT(result.err, HasSubstr(database()));
  const CommandResult after = attune({"tune", scale(), "--json"});
  EXPECT_EQ(after.code, 0) << after.err;
  EXPECT_THAT(after.out, HasSubstr("\"trials_before\":2"));
}

TEST_F(BadInput, WithoutADriverTheErrorSaysHowToGoOn) {
  CommandOptions options;
  options.environment["ATTUNE_DEVICE"] = "cuda";
  const CommandResult result = attune({"tune", scale()}, options);
  if (result.code == 0) GTEST_SKIP() << "this machine has a CUDA driver";
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("driver"), HasSubstr("host")));
}

}  // namespace
}  // namespace attune::test
