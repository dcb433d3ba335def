// attune tune: what it prints and stores, what a session is told, and what ends it.
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Tune : public Workbench {};

TEST_F(Tune, FindsARecordAndDoesNotSearchForItAgain) {
  const std::string first = output_of({"tune", scale()});
  EXPECT_THAT(first, AllOf(HasSubstr("tuning scale for n=5000 T=float"), HasSubstr("default"), HasSubstr("best"),
                           HasSubstr("5 legal configurations of 6 combinations"), HasSubstr("5 trials: 5 right; ")));
  EXPECT_THAT(first, Not(HasSubstr("\r"))) << "draws progress without a terminal";
  EXPECT_THAT(output_of({"tune", scale()}), AllOf(HasSubstr("is tuned already"), Not(HasSubstr("tuning scale"))));
  EXPECT_THAT(output_of({"tune", scale(), "--fresh"}), HasSubstr("tuning scale"));
}

TEST_F(Tune, APartialSessionGoesOnWhereItEndedAndEachRunHasItsLimit) {
  const auto expect_run = [this](std::size_t trials, const std::string& limit, std::size_t before, bool finished) {
    const auto events = events_of({"tune", scale(), "--trials", limit});
    EXPECT_EQ(of_type(events, "session").at(0).at("trials_before"), before);
    EXPECT_EQ(of_type(events, "trial").size(), trials);
    EXPECT_EQ(of_type(events, "best").at(0).at("end"), finished ? "finished" : "partial");
    EXPECT_EQ(of_type(events, "record").at(0).at("partial"), !finished);
    if (!finished) {
      EXPECT_EQ(of_type(events, "best").at(0).at("reason"), "trials");
    }
  };
  expect_run(2, "2", 0, false);
  expect_run(2, "2", 2, false);
  expect_run(1, "9", 4, true);
}

TEST_F(Tune, ALimitOfAContinuedSessionIsToldAsThatOfEachRun) {
  const std::vector<std::string> command = {"tune", scale(), "--trials", "2"};
  EXPECT_THAT(output_of(command),
              AllOf(HasSubstr("ended by the limit of 2 trials\n"), HasSubstr("\n2 trials: 2 right")));
  EXPECT_THAT(output_of(command),
              AllOf(HasSubstr("continuing after 2 trials"), HasSubstr("ended by the limit of 2 trials for each run\n"),
                    HasSubstr("\n4 trials, 2 of them now: 4 right")));
}

TEST_F(Tune, JsonTellsSessionTrialsBestAndRecordOfEachProblemInTurn) {
  const auto events = events_of({"tune", scale(), "--problem", "n=2**12 T=int32", "--problem", "n=200", "--seed", "5"});
  const auto sessions = of_type(events, "session"), records = of_type(events, "record");
  ASSERT_EQ(sessions.size(), 2u);
  EXPECT_EQ(sessions[0].at("problem").at("n"), 4096);
  EXPECT_EQ(sessions[1].at("problem").at("n"), 200);
  EXPECT_EQ(sessions[0].at("seed"), 5);
  for (const Json& trial : of_type(events, "trial")) {
    EXPECT_EQ(trial.at("verdict"), "ok") << trial;
    EXPECT_GT(trial.at("median_ns"), 0);
    EXPECT_TRUE(trial.at("configuration").contains("BLOCK"));
    EXPECT_TRUE(trial.contains("compile_ms"));
  }
  const Json best = of_type(events, "best").at(0);
  EXPECT_EQ(best.at("configuration"), records.at(0).at("configuration"));
  EXPECT_GE(best.at("speedup"), 1.0);
}

TEST_F(Tune, KeepsTheBestImageInAPrivateFolderUnderAnyMask) {
  const std::filesystem::path cache = folder_ / "cache";
  const mode_t before = umask(0002);
  const auto kept = events_of({"tune", scale(), "--trials", "1"});
  umask(before);
  for (const auto& folder : {cache, cache / "locks", cache / "images"})
    EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms(0700)) << folder;
  EXPECT_FALSE(std::filesystem::is_empty(cache / "images"));
  EXPECT_THAT(of_type(kept, "note"), testing::IsEmpty());
  std::filesystem::permissions(cache, std::filesystem::perms(0775));
  const auto notes = of_type(events_of({"tune", scale(), "--trials", "1", "--fresh"}), "note");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_THAT(notes[0].at("text"), HasSubstr("can be written by others (chmod go-w)"));
}

TEST_F(Tune, NeedsNoCache) {
  write("file", "no folder");
  const CommandOptions options{.environment = {{"ATTUNE_CACHE", (folder_ / "file/cache").string()}}};
  const CommandResult result = attune({"tune", scale(), "--trials", "1"}, options);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, AllOf(HasSubstr("there is no cache"), HasSubstr("ATTUNE_CACHE names another folder"),
                                Not(HasSubstr("ATTUNE_DB"))));
  EXPECT_THAT(result.out, Not(HasSubstr("not kept")));
  const CommandResult bench = attune({"bench", scale(), "--rounds", "2"}, options);
  EXPECT_EQ(bench.code, 0) << bench.err;
  EXPECT_THAT(bench.err, HasSubstr("there is no cache"));
}

TEST_F(Tune, WhatAnotherSessionMeasuredIsNotMeasuredAgain) {
  const auto trials_and_those_from_the_log = [this](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"tune", scale()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    int from_log = 0;
    const auto trials = of_type(events_of(arguments), "trial");
    for (const Json& trial : trials) from_log += trial.at("from_log") ? 1 : 0;
    return std::pair(static_cast<int>(trials.size()), from_log);
  };
  EXPECT_EQ(trials_and_those_from_the_log({"--trials", "3"}), std::pair(3, 0));
  EXPECT_EQ(trials_and_those_from_the_log({"--effort", "exhaustive"}), std::pair(5, 2)) << "the anchor is timed anew";
  EXPECT_EQ(trials_and_those_from_the_log({"--effort", "exhaustive", "--fresh"}), std::pair(5, 0));
  EXPECT_THAT(output_of({"tune", scale()}), HasSubstr("exhaustive")) << "more effort answers a request for less";
  // A narrowed space may have another default, and with it another anchor: its scores are not mixed in.
  EXPECT_THAT(output_of({"tune", scale(), "--problem", "n=300", "--parameters", "BLOCK=32 ITEMS=1,2"}),
              HasSubstr("2 legal configurations of 2 combinations"));
  EXPECT_EQ(trials_and_those_from_the_log({"--problem", "n=300", "--strategy", "exhaustive"}), std::pair(5, 0));
}

TEST_F(Tune, ACorrectedCheckIsTriedAnew) {
  const std::pair<std::string, std::string> wrong = {"y[i] = x[i] + x[i] + x[i]", "y[i] = x[i] * T(3.001)"};
  expect_failure(3, {"tune", scale_with({wrong})}, {});
  EXPECT_THAT(output_of({"tune", scale_with({wrong, {"[metrics]", "[check]\nrelative = 0.01\n[metrics]"}})}),
              HasSubstr("5 right"));
}

struct Harm {
  const char* name;
  Replacements replacements;
  const char* verdict;
  std::size_t times;  // of that verdict; all others are right
  const char* said;
};

void PrintTo(const Harm& harm, std::ostream* out) { *out << harm.name; }

class TuneHarm : public Workbench, public testing::WithParamInterface<Harm> {};

TEST_P(TuneHarm, IsATrialLikeAnyOtherAndHarmsNoOther) {
  const std::string out = output_of({"tune", scale_with(GetParam().replacements), "--json"});
  EXPECT_EQ(count_of(out, "\"verdict\":\"" + std::string(GetParam().verdict) + "\",\"median_ns\""), GetParam().times)
      << out;
  EXPECT_EQ(count_of(out, "\"verdict\":\"ok\""), 5 - GetParam().times) << out;
  EXPECT_THAT(out, HasSubstr(GetParam().said));
  EXPECT_THAT(out, HasSubstr("\"workers_replaced\":0"));
}

INSTANTIATE_TEST_SUITE_P(
    , TuneHarm,
    testing::Values(
        Harm{"ArgumentThatCannotBeResolved",
             {{"n = { type = \"int64\" }",
               "n = { type = \"int64\" }\nk = { type = \"int8\", value = \"BLOCK * ITEMS\" }"},
              {"arguments = [\"y\", \"x\", \"n\"]", "arguments = [\"y\", \"x\", \"n\", \"k\"]"},
              {"const T* x, long long n)", "const T* x, long long n, signed char)"}},
             "launch_error",
             2,  // 128 does not fit int8
             "int8"},
        Harm{"InputThatIsChanged",
             {{"T(3) * x[first + i];",
               "T(3) * x[first + i], blockDim.x == 128 ? (void)(const_cast<T*>(x)[first + i] = 7) : (void)0;"}},
             "guard",
             1,
             "changed its input `x`"},
        Harm{"OutputThatIsLeftUnwritten",
             {{"if (first + i < n)", "if (first + i < n && blockDim.x != 128)"}},
             "wrong_result",
             1,
             ""},
        // What is read and written is restored before every sample.
        Harm{"InoutThatIsWrittenAgain",
             {{"role = \"out\"", "role = \"inout\", fill = \"constant(1)\""},
              {"if (first + i < n) ",
               "if (first + i < n && blockDim.x == 128 && y[first + i] != T(1)) __trap();\n"
               "    else if (first + i < n) "}},
             "fault",
             0,
             ""}),
    [](const auto& harm) { return std::string(harm.param.name); });

// With values, a range and a choice in its file.
TEST_F(Tune, AChoiceOfTheProblemIsAProblemOfItsOwn) {
  const std::string file = (folder_ / "fold.cu").string();
  std::ofstream(file) << R"cu(/*attune
[kernel]
name = "fold"
[problem]
n = { size = 4096 }
OP = { choice = ["Op::plus", "Op::least"] }
[parameters]
BLOCK = { from = 32, to = 128, times = 2, default = 64 }
ITEMS = { from = 1, to = 3, step = 1 }
[values]
tile = "BLOCK * ITEMS"
blocks = "ceil_div(n, tile)"
[restrictions]
rules = ["tile <= 256 || OP == 'Op::plus'"]
[[launch]]
entry = "fold<OP, BLOCK, ITEMS>"
grid = ["blocks"]
block = ["BLOCK"]
arguments = ["out", "a", "b", "n", "tiles"]
[arguments]
out = { type = "int32", size = "n", role = "out" }
a = { type = "int32", size = "n", role = "in", fill = "uniform(-99, 99)" }
b = { type = "int32", size = "n", role = "in", fill = "uniform(-99, 99)" }
n = { type = "int64" }
tiles = { type = "int64", value = "blocks" }
[[reference]]
entry = "fold_reference<OP>"
grid = ["ceil_div(n, 32)"]
block = [32]
arguments = ["out", "a", "b", "n"]
*/
enum class Op { plus, least };
template <Op OP>
__device__ int folded(int a, int b) {
  return OP == Op::plus ? a + b : a < b ? a : b;
}
template <Op OP, int BLOCK, int ITEMS>
__global__ void fold(int* out, const int* a, const int* b, long long n, long long tiles) {
  if (gridDim.x != tiles) return;
  for (int k = 0; k < ITEMS; ++k) {
    const long long i = (blockIdx.x * ITEMS + k) * static_cast<long long>(BLOCK) + threadIdx.x;
    if (i < n) out[i] = folded<OP>(a[i], b[i]);
  }
}
template <Op OP>
__global__ void fold_reference(int* out, const int* a, const int* b, long long n) {
  const long long i = blockIdx.x * 32ll + threadIdx.x;
  if (i < n) out[i] = folded<OP>(a[i], b[i]);
}
)cu";
  EXPECT_THAT(output_of({"check", file}), HasSubstr("n=4096 OP=Op::plus"));
  EXPECT_THAT(output_of({"tune", file, "--problem", "OP=Op::least"}),
              AllOf(HasSubstr("tuning fold for n=4096 OP=Op::least"), HasSubstr("8 trials: 8 right")));
  EXPECT_THAT(output_of({"plan", file, "--problem", "OP=Op::least"}), HasSubstr("exact"));
  EXPECT_THAT(output_of({"plan", file, "--problem", "OP=Op::plus"}), Not(HasSubstr("exact")));
}

TEST_F(Tune, GivesUpWhenNothingSurvives) {
  const CommandResult result = attune({"tune", scale_of_many({{"T(3) *", "T(4) *"}}), "--json"});
  EXPECT_EQ(result.code, 3);
  // The first fifty, and those that were sent by then.
  const std::size_t trials = of_type(events_in(result.out), "trial").size();
  EXPECT_GE(trials, 50u);
  EXPECT_LE(trials, 53u);
  EXPECT_THAT(result.err, HasSubstr("none of the " + std::to_string(trials) + " configurations tried survived, " +
                                    std::to_string(trials) + " wrong_result"));
}

// Many values, so that the search is still under way when the signal comes.
TEST_F(Tune, AnInterruptKeepsTheBestSoFar) {
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"trial\"") >= 3 ? SIGINT : 0; };
  const std::string kernel = scale_of_many();
  const CommandResult result = attune({"tune", kernel, "--json"}, options);
  EXPECT_EQ(result.code, 130) << result.err;
  ASSERT_EQ(of_type(events_in(result.out), "record").size(), 1u) << result.out;
  EXPECT_THAT(output_of({"plan", kernel}), HasSubstr("exact"));
}

TEST_F(Tune, WhatDoesNotCompileIsAVerdictThoughTheParentIgnoredItsChildren) {
  CommandOptions options;
  options.ignored_signals = {SIGCHLD};
  const std::string kernel =
      scale_with("  const long long first", "  static_assert(ITEMS == 1, \"one\");\n  const long long first");
  const CommandResult result = attune({"tune", kernel, "--parameters", "BLOCK=64", "--json"}, options);
  EXPECT_EQ(result.code, 0) << result.err;
  int failed = 0;
  for (const Json& trial : of_type(events_in(result.out), "trial")) failed += trial.at("verdict") == "compile_error";
  EXPECT_EQ(failed, 1);
}

TEST_F(Tune, AKillLosesNothingThatWasTold) {
  CommandOptions options;
  options.signal_when = [](const std::string& out) { return count_of(out, "\"type\":\"trial\"") >= 5 ? SIGKILL : 0; };
  const std::string kernel = scale_of_many();
  const CommandResult killed = attune({"tune", kernel, "--json"}, options);
  EXPECT_EQ(killed.code, 128 + SIGKILL);
  const std::size_t told = count_of(killed.out, "\"type\":\"trial\"");
  const auto again = events_of({"tune", kernel, "--trials", std::to_string(told + 20)});
  EXPECT_GE(of_type(again, "session").at(0).at("trials_before"), told);
}

TEST_F(Tune, WithoutAReaderItEndsWhereThatIsWishedAndKeepsTheBest) {
  const std::string kernel = scale_of_many();
  CommandOptions options;
  options.environment = {{"ATTUNE_DEVICE", "host"},
                         {"ATTUNE_DB", database()},
                         {"ATTUNE_CACHE", (folder_ / "cache").string()},
                         {"ATTUNE_WITHOUT_READER", "end"}};
  const std::string tuning = ATTUNE_BUILD_DIR "/bin/attune tune " + kernel + " --json --effort exhaustive";
  const CommandResult read =
      run_command({"/bin/sh", "-c", "{ " + tuning + "; echo code $? >&2; } | head -n 3"}, options);
  EXPECT_THAT(read.err, HasSubstr("code 130"));
  EXPECT_EQ(lines_of(read.out).size(), 3u);
  EXPECT_EQ(events_of({"sessions"}).at(0).at("state"), "partial");
  EXPECT_EQ(events_of({"show", kernel}).at(0).at("type"), "record");
}

TEST_F(Tune, AKernelWithoutParametersSaysSo) {
  const std::string text = output_of({"tune", scale_with({{"BLOCK = [64, 32, 128]\nITEMS = [1, 2]\n", ""},
                                                          {"rules = [\"BLOCK * ITEMS <= 128\"]", "rules = []"},
                                                          {"scale<T, ITEMS>", "scale<T, 1>"},
                                                          {"ceil_div(n, BLOCK * ITEMS)", "ceil_div(n, 64)"},
                                                          {"block = [\"BLOCK\"]", "block = [\"64\"]"}})});
  EXPECT_THAT(text, HasSubstr("  default: no parameters\n"));
  EXPECT_THAT(text, HasSubstr("\n           no parameters\n")) << "the best";
}

TEST_F(Tune, UsesSeveralBenchesOfTheHostAsOneSession) {
  const std::string text = output_of({"tune", scale(), "--device", "host,benches=2", "--effort", "exhaustive"});
  EXPECT_THAT(text, AllOf(HasSubstr("note: the search uses 2 devices: host ("), HasSubstr("kept in ")));
  EXPECT_THAT(output_of({"tune", scale(), "--device", "host"}), HasSubstr("is tuned already"));
  expect_failure(2, {"tune", scale(), "--device", "host,benches=65"}, {"from 1 to 64 after `benches=`"});
  expect_failure(2, {"plan", scale(), "--device", "all"}, {"`all` are several devices"});
  expect_failure(2, {"tune", "--misses", "log", "--device", "all"},
                 {"--misses uses one device, and `all` names several: name one"});
  expect_failure(
      2, {"tune", "--revalidate", "--device", "cuda:0,cuda:1"},
      {"--revalidate uses one device, and `cuda:0,cuda:1` names several: name one, such as --device cuda:0"});
}

}  // namespace
}  // namespace attune::test
