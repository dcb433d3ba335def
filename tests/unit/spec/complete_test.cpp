// Specs built in C++ are checked as kernel files are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "spec/kernel_file.hpp"

namespace attune::tests {
namespace {

Step launch_of(std::string entry, Expression grid, Expression block, std::vector<std::string> arguments) {
  Step step;
  step.entry = std::move(entry);
  step.grid = {std::move(grid)};
  step.block = {std::move(block)};
  step.arguments = std::move(arguments);
  return step;
}

Argument argument_of(std::string name, std::string type, Role role = Role::scalar) {
  Argument argument;
  argument.name = std::move(name);
  argument.type = std::move(type);
  argument.role = role;
  if (role != Role::scalar) argument.size = Expression("n");
  return argument;
}

KernelSpec scale() {
  KernelSpec spec;
  spec.name = "scale";
  spec.source = {"scale.cu", "template <typename T, int BLOCK> __global__ void scale(T* x, long long n) {}", {}};
  spec.problem = {{"n", ProblemKind::size, {}, 1024, {}}, {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
  spec.parameters = {{"BLOCK", {128, 256}}};
  spec.rules = {"BLOCK <= device.max_threads_per_block"};
  spec.launch = {launch_of("scale<T, BLOCK>", "ceil_div(n, BLOCK)", "BLOCK", {"x", "n"})};
  spec.arguments = {argument_of("x", "T", Role::inout), argument_of("n", "int64")};
  return spec;
}

TEST(Complete, FillsInTheFingerprints) {
  const auto spec = complete(scale());
  EXPECT_EQ(spec.fingerprints.code.size(), 64u);
  EXPECT_EQ(spec.fingerprints.contract.size(), 64u);
  EXPECT_EQ(spec.fingerprints.space.size(), 64u);
}

TEST(Complete, GivesTheContractAndSpaceOfTheSameKernelInAFile) {
  const auto file = read_kernel_text(
      "/*attune\n[kernel]\nname = \"scale\"\n[problem]\nn = { size = 1024 }\nT = [\"float\", \"double\"]\n"
      "[parameters]\nBLOCK = [128, 256]\n[restrictions]\nrules = [\"BLOCK <= device.max_threads_per_block\"]\n"
      "[[launch]]\nentry = \"scale<T, BLOCK>\"\ngrid = [\"ceil_div(n, BLOCK)\"]\nblock = [\"BLOCK\"]\n"
      "arguments = [\"x\", \"n\"]\n[arguments]\nx = { type = \"T\", size = \"n\", role = \"inout\" }\n"
      "n = { type = \"int64\" }\n*/\n"
      "template <typename T, int BLOCK> __global__ void scale(T* x, long long n) {}",
      "scale.cu");
  const auto built = complete(scale());
  EXPECT_EQ(built.fingerprints.code, file.fingerprints.code);
  EXPECT_EQ(built.fingerprints.contract, file.fingerprints.contract);
  EXPECT_EQ(built.fingerprints.space, file.fingerprints.space);
}

TEST(Complete, RefusesWhatAFileWouldBeRefusedFor) {
  struct Broken {
    std::function<void(KernelSpec&)> breaking;
    std::string words;
  };
  const Broken table[] = {
      {[](KernelSpec& s) { s.name = "no name"; }, "kernel.name: `no name`"},
      {[](KernelSpec& s) { s.source.text = " \n"; }, "no source text"},
      {[](KernelSpec& s) { s.problem.push_back(s.problem[0]); }, "problem.n: `n` is named twice"},
      {[](KernelSpec& s) {
         for (int i = 0; i < 300; ++i) s.problem.push_back({"n" + std::to_string(i), ProblemKind::size, {}, {}, {}});
       },
       "problem: 302 entries"},
      {[](KernelSpec& s) { s.problem[0].device_default["host"] = 0; }, "problem.n.host: 0 is no size"},
      {[](KernelSpec& s) { s.problem[1].types = {"flaot"}; }, "did you mean `float`"},
      {[](KernelSpec& s) { s.parameters[0].values.clear(); }, "has no value"},
      {[](KernelSpec& s) { s.parameters[0].values.emplace_back(1.5); }, "parameters.BLOCK[2]"},
      {[](KernelSpec& s) { s.parameters.push_back(s.parameters[0]); }, "`BLOCK` is named twice"},
      {[](KernelSpec& s) { s.parameters[0].name = "n"; }, "`n` is a problem name"},
      {[](KernelSpec& s) { s.rules.emplace_back("BLOK > 1"); }, "restrictions.rules[1]: `BLOK`"},
      {[](KernelSpec& s) { s.rules.emplace_back("BLOCK > 128"); }, "BLOCK=128"},
      {[](KernelSpec& s) { s.launch.clear(); }, "no kernel to tune"},
      {[](KernelSpec& s) { s.launch[0].grid.clear(); }, "launch[0].grid: expected 1 to 3"},
      {[](KernelSpec& s) { s.launch[0].block.emplace_back("n + x"); }, "launch[0].block[1]: `x`"},
      {[](KernelSpec& s) {
         s.launch[0].arguments = {"x", "m"};
       },
       "launch[0].arguments[1]: `m`"},
      {[](KernelSpec& s) { s.launch[0].shared = Expression("-1"); }, "launch[0].shared"},
      {[](KernelSpec& s) {
         Step step;
         step.kind = StepKind::memset;
         step.memset_argument = "x";
         step.memset_value = 256;
         s.launch.push_back(step);
       },
       "launch[1].value: 256"},
      {[](KernelSpec& s) { s.reference = s.launch; }, "reference[0].entry: `BLOCK`"},
      {[](KernelSpec& s) { s.arguments[0].role = Role::in; }, "nothing could be checked"},
      {[](KernelSpec& s) { s.arguments[0].size.reset(); }, "needs `size`"},
      {[](KernelSpec& s) { s.arguments[1].size = Expression("n"); }, "needs a role"},
      {[](KernelSpec& s) { s.arguments[1].restore = false; }, "only `inout`"},
      {[](KernelSpec& s) { s.arguments.push_back(s.arguments[0]); }, "`x` is named twice"},
      {[](KernelSpec& s) { s.argument_check["n"] = {}; }, "check.n: "},
      {[](KernelSpec& s) { s.compile.options = {"-DX={Y}"}; }, "compile.options[0]: `{Y}`"},
      {[](KernelSpec& s) { s.compile.requires_architecture = "90"; }, "compile.requires"},
  };
  for (const auto& [breaking, words] : table) {
    auto spec = scale();
    breaking(spec);
    try {
      complete(spec);
      ADD_FAILURE() << "accepted, expected: " << words;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(words));
    }
  }
}

}  // namespace
}  // namespace attune::tests
