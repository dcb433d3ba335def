// attune check: one configuration, compiled and run in a worker.
#include <chrono>
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Check : public Workbench {
 protected:
  // scale.cu with this text before the loop of its kernel.
  std::string with_statement(const std::string& statement) const {
    return scale_with("for (int i = 0; i < ITEMS; ++i)", statement + "\n  for (int i = 0; i < ITEMS; ++i)");
  }
  bool has_nvrtc() const { return output_of({"--version"}).find("NVRTC   none") == std::string::npos; }
};

// Written as for nvcc.
TEST_F(Check, RunsKernelsWithCooperativeGroups) {
  for (const char* const name : {"group_layernorm", "grid_sum"}) {
    const CommandResult result = attune({"check", ATTUNE_TEST_DATA "/kernels/" + std::string(name) + ".cu"});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    EXPECT_THAT(result.out, HasSubstr("verdict: ok"));
  }
}

TEST_F(Check, RunsOneConfigurationAndSaysWhatIsWrongWithIt) {
  struct Case {
    std::string file;
    std::vector<std::string> more;
    int code;
    std::vector<std::string> words;
  };
  const auto changed = [this](const std::string& name, const std::string& before, const std::string& after) {
    return write(name, content_of(scale_with(before, after)));
  };
  const Case cases[] = {
      {scale(),
       {"--configuration", "BLOCK=32 ITEMS=2", "--problem", "n=1000"},
       0,
       {"BLOCK=32 ITEMS=2", "verdict: ok", "scale<float, 2>"}},
      {scale(),
       {"--configuration", "BLOCK=128 ITEMS=2"},
       3,
       {"verdict: restricted", "BLOCK * ITEMS <= 128", "BLOCK=128"}},
      {changed("log.cu", "T(3)", "three"), {}, 3, {"verdict: compile_error", "three"}},
      {changed("guard.cu", "if (first + i < n) y", "if (first + i <= n) y"),
       {},
       3,
       {"verdict: guard", "wrote outside argument `y`"}},
      {changed("barrier.cu", "for (int i = 0; i < ITEMS; ++i)",
               "if (threadIdx.x > 0) __syncthreads(); else __syncwarp();\n  for (int i = 0; i < ITEMS; ++i)"),
       {},
       3,
       {"verdict: fault", "__syncthreads", "block (0,0,0)"}},
  };
  const CommandOptions one_block_at_a_time{.environment = {{"ATTUNE_HOST_THREADS", "1"}}};
  for (const Case& c : cases) {
    std::vector<std::string> arguments = {"check", c.file};
    arguments.insert(arguments.end(), c.more.begin(), c.more.end());
    const CommandResult result = attune(arguments, one_block_at_a_time);
    EXPECT_EQ(result.code, c.code) << result.err;
    for (const std::string& word : c.words) EXPECT_THAT(result.out, HasSubstr(word));
  }
}

TEST_F(Check, ShowsSharedMemoryAndTheToleranceAndNoRegistersOnTheHost) {
  const std::string kernel = scale_with({{"block = [\"BLOCK\"]", "block = [\"BLOCK\"]\nshared = \"BLOCK * 4\""},
                                         {"[metrics]", "[check]\nabsolute = 0.5\nrelative = 0.25\n[metrics]"}});
  EXPECT_THAT(output_of({"check", kernel}),
              AllOf(HasSubstr("0 bytes of static shared memory, 256 bytes of dynamic shared memory\n"),
                    HasSubstr("tolerance of `y`: 0.5 + 0.25 * |expected|\n"), Not(HasSubstr("registers"))));
  EXPECT_THAT(output_of({"check", scale()}), HasSubstr("tolerance of `y`: none"));
}

TEST_F(Check, HasOneJsonObject) {
  const auto lines = events_of({"check", with_statement("if (first == 64) printf(\"noise\\n\");")});
  ASSERT_EQ(lines.size(), 1u) << "what the kernel prints is left out";
  const Json& check = lines.front();
  EXPECT_EQ(check.at("type"), "check");
  EXPECT_EQ(check.at("verdict"), "ok");
  EXPECT_EQ(check.at("configuration").at("BLOCK"), 64);
  EXPECT_EQ(check.at("entries").at(0).at("entry"), "scale<float, 1>");
  EXPECT_EQ(check.at("entries").at(0).at("dynamic_shared_bytes"), 0);
  EXPECT_EQ(check.at("tolerances").at("y").at("absolute"), 0);
  EXPECT_GT(check.at("launch_ns"), 0);
  EXPECT_GT(check.at("gigabytes_per_s"), 0);
  const CommandResult wrong = attune({"check", scale_with("T(3)", "three"), "--json"});
  EXPECT_EQ(wrong.code, 3);
  const Json failed = events_in(wrong.out).at(0);
  EXPECT_EQ(failed.at("verdict"), "compile_error");
  EXPECT_THAT(failed.at("log").get<std::string>(), HasSubstr("three"));
  const CommandResult illegal = attune({"check", scale_with("BLOCK * ITEMS <= 128", "n < 0"), "--json"});
  EXPECT_TRUE(events_in(illegal.out).at(0).at("configuration").is_null());
  expect_failure(2, {"check", scale(), "--json", "--sanitize", "address"}, {"--sanitize prints text only"});
}

TEST_F(Check, SaysWhereItFailedAndWhatExplainsIt) {
  const std::string divergent = "if (threadIdx.x > 0) __syncthreads(); else __syncwarp();";
  EXPECT_THAT(attune({"check", with_statement(divergent)}).out,
              AllOf(HasSubstr("verdict: fault"), HasSubstr("in scale<float, 1>: ")));
  const auto wrong = [this](const Replacements& replacements) {
    return attune({"check", scale_with(replacements)}).out;
  };
  const char *const exact = "exact equality is expected: [check] gives no tolerance",
                    *const poisoned = "`y` is poisoned before each launch";
  EXPECT_THAT(wrong({{"T(3)", "T(3.0001f)"}}),
              AllOf(HasSubstr("verdict: wrong_result"), HasSubstr(exact), Not(HasSubstr(poisoned))));
  EXPECT_THAT(wrong({{"y[first + i] = T(3)", "y[first + i] += T(3)"}}),
              AllOf(HasSubstr("verdict: wrong_result"), HasSubstr(poisoned), HasSubstr("add a memset step"),
                    Not(HasSubstr(exact))));
  EXPECT_THAT(wrong({{"[\"float\", \"int32\"]", "[\"int32\"]"}, {"if (first + i < n) y", "if (first + i < n / 2) y"}}),
              AllOf(HasSubstr(poisoned), Not(HasSubstr(exact))));
}

TEST_F(Check, AKernelThatEndsItsProcessHasAVerdict) {
  for (const char* code : {"0", "3"}) {
    const std::string kernel = scale_with(
        {{"template <typename T, int ITEMS>", "extern \"C\" void _exit(int);\ntemplate <typename T, int ITEMS>"},
         {"for (int i = 0; i < ITEMS; ++i)",
          "if (first == 5) _exit(" + std::string(code) + ");\n  for (int i = 0; i < ITEMS; ++i)"}});
    const CommandResult result = attune({"check", kernel});
    EXPECT_EQ(result.code, 3);
    EXPECT_THAT(result.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("exited with code " + std::string(code))));
  }
}

// The default configuration takes the place of the reference.
TEST_F(Check, WithoutAReferenceWhatBecomesOfTheDefaultIsItsVerdict) {
  const std::pair<std::string, std::string> no_reference = {
      "[[reference]]\nentry = \"scale_reference<T>\"\ngrid = [\"ceil_div(n, 64)\"]\nblock = [\"64\"]\n"
      "arguments = [\"y\", \"x\", \"n\"]\n",
      ""};
  const auto with = [&](const std::string& statement) {
    return scale_with(
        {no_reference,
         {"template <typename T, int ITEMS>", "extern \"C\" void _exit(int);\ntemplate <typename T, int ITEMS>"},
         {"for (int i = 0; i < ITEMS; ++i)", statement + "\n  for (int i = 0; i < ITEMS; ++i)"}});
  };
  const CommandResult trap = attune({"check", with("if (first == 5) __trap();")});
  EXPECT_EQ(trap.code, 3) << trap.err;
  EXPECT_THAT(trap.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("there is no [[reference]]")));
  const std::string exits = with("if (first == 5) _exit(0);");
  const CommandResult ended = attune({"check", exits});
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_THAT(ended.out, AllOf(HasSubstr("verdict: fault"), HasSubstr("exited with code 0")));
  EXPECT_EQ(attune({"check", exits, "--configuration", "BLOCK=32"}).code, 1) << "another one, which did not run";
}

TEST_F(Check, EndsWithItsTimeLimitOrTheDeadline) {
  const std::string kernel = with_statement("while (n > 0) {}");
  const auto begin = std::chrono::steady_clock::now();
  const CommandResult limited = attune({"check", kernel, "--time-limit", "2s"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(limited.code, 3) << limited.err;
  EXPECT_THAT(limited.out, AllOf(HasSubstr("verdict: timeout"), HasSubstr("stopped after 2 s")));
  const CommandResult late = attune({"check", kernel}, {.environment = {{"ATTUNE_LAUNCH_LIMIT", "1"}}});
  EXPECT_EQ(late.code, 3) << late.err;
  EXPECT_THAT(late.out, AllOf(HasSubstr("verdict: timeout"), HasSubstr("no answer within")));
}

TEST_F(Check, ShowsWhatAKernelPrints) {
  const CommandResult result =
      attune({"check", with_statement("if (first == 64) printf(\"here is %lld\\n\", first);")});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("here is 64"));
}

// Relative folders of headers count from the kernel file, wherever the command runs.
TEST_F(Check, FindsHeadersInFoldersOfTheOptions) {
  std::filesystem::create_directories(folder_ / "headers");
  write("headers/three.cuh", "#define THREE 3\n");
  for (const char* include : {"#include \"three.cuh\"", "#include <three.cuh>"}) {
    const std::string kernel =
        scale_with({{"[metrics]", "[compile]\noptions = [\"-Iheaders\"]\n[metrics]"},
                    {"template <typename T, int ITEMS>", std::string(include) + "\ntemplate <typename T, int ITEMS>"},
                    {"T(3)", "T(THREE)"}});
    const CommandResult result = attune({"check", kernel});
    EXPECT_EQ(result.code, 0) << result.err << result.out;
    if (!has_nvrtc()) continue;
    const CommandResult compiled = attune({"check", kernel, "--device", "sm_90"});
    EXPECT_EQ(compiled.code, 0) << compiled.err << compiled.out;
  }
}

// A file with main(), which another file includes unchanged.
TEST_F(Check, AWholeProgramIsForGpus) {
  write("doubled.cu", R"(#include <stdio.h>
#define BLOCK 256
__global__ void doubled(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] *= 2;
}
int main() {
  float* x;
  cudaMalloc(&x, 4);
  doubled<<<1, BLOCK>>>(x, 1);
  printf("%d\n", cudaDeviceSynchronize() == cudaSuccess);
}
)");
  const std::string kernel = write("tuned.cu", R"cuda(/*attune
[kernel]
name = "doubled"
summary = "x = 2 x"
[problem]
n = "size"
[parameters]
BLOCK = [256, 128]
[[launch]]
entry = "doubled"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["x", "n"]
[arguments]
x = { type = "float", size = "n", role = "inout" }
n = { type = "int32" }
[compile]
defines = "parameters"
host_code = "ignore"
*/
#include "doubled.cu"
)cuda");
  expect_failure(1, {"check", kernel, "--problem", "n=1000"}, {"kernel `doubled` has host code", "--device sm_90"});
  if (!has_nvrtc()) GTEST_SKIP() << "needs NVRTC";
  EXPECT_THAT(output_of({"check", kernel, "--problem", "n=1000", "--device", "sm_90"}), HasSubstr("verdict: ok"));
  expect_failure(2, {"check", kernel, "--problem", "n=1000", "--device", "sm_90a"}, {"name the device sm_90"});
}

TEST_F(Check, OfAnArchitectureCompilesTheReferenceToo) {
  if (!has_nvrtc()) GTEST_SKIP() << "needs NVRTC";
  EXPECT_THAT(output_of({"check", scale(), "--device", "sm_90"}), HasSubstr("verdict: ok"));
  const std::string kernel = scale_with("y[i] = x[i] + x[i] + x[i];", "y[i] = nothing;");
  expect_failure(1, {"check", kernel, "--device", "sm_90"}, {"[[reference]] of scale", "does not compile", "nothing"});
}

}  // namespace
}  // namespace attune::test
