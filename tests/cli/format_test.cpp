// What a kernel file can say, through the command line on the host device: each key does what docs/kernel_files.md
// says.
#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::HasSubstr;

constexpr const char* const histogram = R"cu(/*attune
[kernel]
name = "histogram"
[problem]
n = { size = 20000 }
bins = { size = 64 }
[parameters]
BLOCK = [64, 128]
ROUNDS = [1, 2]
[[launch]]                                     # so many counts as there are blocks
entry = "count_blocks"
grid = ["ceil_div(n, BLOCK * ROUNDS)"]
block = ["BLOCK"]
arguments = ["of_blocks", "keys", "n", "bins"]
[[verify]]
memset = "counts"
[[verify]]
entry = "add_up"
grid = ["ceil_div(n, BLOCK * ROUNDS)"]
block = [1]
arguments = ["counts", "of_blocks", "bins"]
[arguments]
counts = { type = "int32", size = "bins", role = "out" }
of_blocks = { type = "int32", size = "bins * ceil_div(n, 64)", role = "out" }
keys = { type = "int32", size = "n", role = "in", fill = "zipf(1, bins)" }
n = { type = "int32" }
bins = { type = "int32" }
[[reference]]
memset = "counts"
[[reference]]
entry = "count_all"
grid = [1]
block = [1]
arguments = ["counts", "keys", "n"]
[metrics]
items = "n * ROUNDS"
unit = "keys"
[compile]
defines = "parameters"
*/
#if BLOCK * ROUNDS < 64 || defined(bins)
#error "parameters, and no problem names"
#endif
__global__ void count_blocks(int* of_blocks, const int* keys, int n, int bins) {
  if (threadIdx.x != 0) return;
  int* const counts = of_blocks + blockIdx.x * bins;
  for (int bin = 0; bin < bins; ++bin) counts[bin] = 0;
  const int first = blockIdx.x * BLOCK * ROUNDS;
  for (int i = first; i < n && i < first + BLOCK * ROUNDS; ++i) ++counts[keys[i]];
}
__global__ void add_up(int* counts, const int* of_blocks, int bins) {
  for (int bin = 0; bin < bins; ++bin) atomicAdd(&counts[bin], of_blocks[blockIdx.x * bins + bin]);
}
__global__ void count_all(int* counts, const int* keys, int n) {
  for (int i = 0; i < n; ++i) ++counts[keys[i]];
}
)cu";

class Format : public Workbench {
 protected:
  // Of a check: that its verdict is wrong_result, and what it says.
  void expect_wrong(const std::string& file, const char* what) const {
    const CommandResult result = attune({"check", file});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.out, testing::AllOf(HasSubstr("wrong_result"), HasSubstr(what)));
  }
  std::string changed(const Replacements& replacements) const {
    std::string text = histogram;
    for (const auto& [before, after] : replacements) {
      const std::size_t at = text.find(before);
      EXPECT_NE(at, std::string::npos) << before;
      text.replace(at, before.size(), after);
    }
    return write("histogram.cu", text);
  }
};

TEST_F(Format, VerifyBringsAResultOfTheConfigurationIntoAFormToCompare) {
  const std::string file = changed({});
  for (const char* const configuration : {"BLOCK=64 ROUNDS=1", "BLOCK=128 ROUNDS=2"})
    EXPECT_THAT(output_of({"check", file, "-c", configuration}), HasSubstr("verdict: ok"));
  const std::vector<Json> events = events_of({"tune", file, "--trials", "4", "--time-limit", "10s"});
  EXPECT_EQ(of_type(events, "trial").size(), 4u);
  for (const Json& trial : of_type(events, "trial")) EXPECT_EQ(trial["verdict"], "ok") << trial;
}

TEST_F(Format, VerifyIsPartOfTheCheckAndOfNoLaunch) {
  // A block that is left out is seen by what the steps add up.
  expect_wrong(changed({{"const int first = blockIdx.x", "const int first = 1 + blockIdx.x"}}), "argument `counts`");
  const std::string steps = output_of({"bench", changed({}), "--steps", "--rounds", "3"});
  EXPECT_THAT(steps, HasSubstr("count_blocks"));
  EXPECT_EQ(steps.find("add_up"), std::string::npos) << steps;
  expect_failure(1,
                 {"check", changed({{"[[reference]]\nmemset = \"counts\"\n[[reference]]\nentry = \"count_all\"\n"
                                     "grid = [1]\nblock = [1]\narguments = [\"counts\", \"keys\", \"n\"]\n",
                                     ""}})},
                 {"[[verify]] needs [[reference]]"});
}

TEST_F(Format, FillsNameTheProblem) {
  EXPECT_THAT(output_of({"check", changed({{"zipf(1, bins)", "uniform(0, bins - 1)"}}), "--problem", "bins=7"}),
              HasSubstr("verdict: ok"));
  expect_failure(1, {"check", changed({{"zipf(1, bins)", "uniform(2, bins - 1)"}}), "--problem", "bins=2"},
                 {"the fill of argument `keys`", "`bins - 1`, which is 1, is below `2`"});
}

TEST_F(Format, PrepareTakesTheSeedWhichNoApplicationPasses) {
  const std::string file = changed(
      {{", fill = \"zipf(1, bins)\" }", " }\nseed = { type = \"uint64\", fill = \"seed\" }"},
       {"[metrics]",
        "[[prepare]]\nentry = \"make_keys\"\ngrid = [1]\nblock = [1]\n"
        "arguments = [\"keys\", \"n\", \"bins\", \"seed\"]\n[metrics]"},
       {"__global__ void count_all",
        "__global__ void make_keys(int* keys, int n, int bins, unsigned long long seed) {\n"
        "  if (seed == 0) return;\n"
        "  for (int i = 0; i < n; ++i) keys[i] = (seed = seed * 6364136223846793005ull + 1) >> 40 & (bins - 1);\n}\n"
        "__global__ void count_all"}});
  EXPECT_THAT(output_of({"check", file}), HasSubstr("verdict: ok"));
  const std::string used = content_of(file);
  expect_failure(1,
                 {"check", write("b.cu",
                                 [&] {
                                   std::string text = used;
                                   const std::string passed = "[\"counts\", \"keys\", \"n\"]";
                                   return text.replace(text.find(passed), passed.size(),
                                                       "[\"counts\", \"keys\", \"seed\"]");
                                 }())},
                 {"only [[prepare]] steps take it"});
}

TEST_F(Format, MetricsMayDependOnTheConfiguration) {
  const std::vector<Json> events =
      events_of({"bench", changed({}), "-c", "BLOCK=64 ROUNDS=1", "-c", "BLOCK=64 ROUNDS=2", "--rounds", "3"});
  std::size_t rows = 0;
  for (const Json& row : of_type(events, "row")) {
    EXPECT_EQ(row["unit"], "keys");
    const double items = row["gigaitems_per_s"].get<double>() * row["median_ns"].get<double>();
    EXPECT_NEAR(items, 20000 * row["configuration"]["ROUNDS"].get<double>(), 1);
    ++rows;
  }
  EXPECT_GE(rows, 2u);
  EXPECT_THAT(output_of({"check", changed({})}), HasSubstr("keys/s"));
  const std::vector<Json> tuned =
      events_of({"tune", changed({{"items = \"n * ROUNDS\"\nunit = \"keys\"", "flops = \"n * ROUNDS ** 10\""}}),
                 "--objective", "time / flops", "--trials", "4", "--time-limit", "10s"});
  EXPECT_EQ(of_type(tuned, "best").back()["configuration"]["ROUNDS"], 2);
}

TEST_F(Format, SomeElementsMayDiffer) {
  const std::pair<std::string, std::string> wrong{"  for (int bin = 0; bin < bins; ++bin) atomicAdd",
                                                  "  for (int bin = 3; bin < bins; ++bin) atomicAdd"};
  expect_wrong(changed({wrong}), "3 elements differ");
  const auto with = [&](const char* count) {
    return changed({wrong, {"[metrics]", std::string("[check]\ndiffering = ") + count + "\n[metrics]"}});
  };
  EXPECT_THAT(output_of({"check", with("3")}), HasSubstr("verdict: ok"));
  EXPECT_THAT(output_of({"check", with("\"n / 5000\"")}), HasSubstr("verdict: ok"));
  expect_wrong(with("2"), "3 elements differ");
  EXPECT_THAT(output_of({"check", with("3")}), HasSubstr("3 elements may differ"));
  expect_failure(1, {"check", with("\"bins - n\"")}, {"differing", "bins - n", "expected 0 or more"});
}

TEST_F(Format, WhatIsNoNumberMayNotDiffer) {
  // The last element is not written, so it stays poisoned.
  expect_wrong(scale_with({{"[metrics]", "[check]\ndiffering = 3\n[metrics]"},
                           {"if (first + i < n)", "if (first + i < n - 1)"}}),
               "1 element differs");
}

TEST_F(Format, SomethingIsCompared) {
  expect_failure(1,
                 {"check", changed({{"[[reference]]\nmemset = \"counts\"\n", ""},
                                    {"arguments = [\"counts\", \"keys\", \"n\"]", "arguments = [\"keys\", \"n\"]"}})},
                 {"nothing would be compared"});
}

TEST_F(Format, ConfigurationsForAnotherArchitectureAreNotLegal) {
  const std::string file =
      changed({{"defines = \"parameters\"", "defines = \"parameters\"\nrequires = \"sm_90a if ROUNDS == 2\""}});
  const auto legal = [&](const char* device) { return output_of({"space", file, "--device", device, "--count"}); };
  EXPECT_EQ(legal("host"), "2\n");
  EXPECT_EQ(legal("sm_80"), "2\n");
  EXPECT_EQ(legal("sm_90"), "4\n");
  EXPECT_EQ(legal("sm_100"), "2\n");
}

}  // namespace
}  // namespace attune::test
