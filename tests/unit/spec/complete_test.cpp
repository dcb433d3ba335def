// Specs built in C++ are checked as kernel files are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"

namespace attune::tests {
namespace {

KernelSpec scale() {
  KernelSpec spec;
  spec.name = "scale";
  spec.source = {"scale.cu", "template <typename T, int BLOCK> __global__ void scale(T* x, long long n) {}", {}};
  spec.problem = {{"n", ProblemKind::size, {}, 1024, {}}, {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
  spec.parameters = {{"BLOCK", {128, 256}}};
  spec.rules = {"BLOCK <= device.max_threads_per_block"};
  spec.launch.resize(1);
  spec.launch[0].entry = "scale<T, BLOCK>";
  spec.launch[0].grid = {"ceil_div(n, BLOCK)"};
  spec.launch[0].block = {"BLOCK"};
  spec.launch[0].arguments = {"x", "n"};
  spec.arguments.resize(2);
  spec.arguments[0].name = "x";
  spec.arguments[0].type = "T";
  spec.arguments[0].role = Role::inout;
  spec.arguments[0].size = Expression("n");
  spec.arguments[1].name = "n";
  spec.arguments[1].type = "int64";
  return spec;
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
  EXPECT_EQ(built.fingerprints.code.size(), 64u);
  EXPECT_EQ(built.fingerprints.code, file.fingerprints.code);
  EXPECT_EQ(built.fingerprints.contract, file.fingerprints.contract);
  EXPECT_EQ(built.fingerprints.space, file.fingerprints.space);
}

TEST(Complete, RefusesWhatAFileWouldBeRefusedFor) {
  using Breaking = void (*)(KernelSpec&);
  // One or two of each section: the checks are those of files, but for the names that a file cannot give twice.
  const std::pair<Breaking, const char*> table[] = {
      {[](KernelSpec& s) { s.name = "no name"; }, "kernel.name: `no name`"},
      {[](KernelSpec& s) { s.source.text = " \n"; }, "no source text"},
      {[](KernelSpec& s) { s.problem.push_back(s.problem[0]); }, "problem.n: `n` is named twice"},
      {[](KernelSpec& s) {
         s.problem.resize(302, {"n", ProblemKind::size, {}, {}, {}});
       },
       "problem: 302 entries"},
      {[](KernelSpec& s) { s.problem[0].device_default["host"] = 0; }, "problem.n.host: 0 is no size"},
      {[](KernelSpec& s) { s.parameters[0].values.emplace_back(1.5); }, "parameters.BLOCK[2]"},
      {[](KernelSpec& s) { s.parameters.push_back(s.parameters[0]); }, "`BLOCK` is named twice"},
      {[](KernelSpec& s) { s.rules.emplace_back("BLOK > 1"); }, "restrictions.rules[1]: `BLOK`"},
      {[](KernelSpec& s) { s.deterministic.emplace("BLOK > 1"); }, "kernel.deterministic: `BLOK`"},
      {[](KernelSpec& s) { s.launch.clear(); }, "no kernel to tune"},
      {[](KernelSpec& s) { s.launch[0].grid.clear(); }, "launch[0].grid: expected 1 to 3"},
      {[](KernelSpec& s) { s.launch[0].block.emplace_back("n + x"); }, "launch[0].block[1]: `x`"},
      {[](KernelSpec& s) { s.launch[0].arguments.at(1) = "m"; }, "launch[0].arguments[1]: `m`"},
      {[](KernelSpec& s) { s.launch[0].shared = Expression("-1"); }, "launch[0].shared"},
      {[](KernelSpec& s) { s.reference = s.launch; }, "reference[0].entry: `BLOCK`"},
      {[](KernelSpec& s) { s.arguments[0].role = Role::in; }, "nothing could be checked"},
      {[](KernelSpec& s) { s.arguments[1].size = Expression("n"); }, "needs a role"},
      {[](KernelSpec& s) { s.arguments.push_back(s.arguments[0]); }, "`x` is named twice"},
      {[](KernelSpec& s) { s.argument_check["n"] = {}; }, "check.n: "},
      {[](KernelSpec& s) { s.compile.options = {"-DX={Y}"}; }, "compile.options[0]: `{Y}`"},
      {[](KernelSpec& s) { s.compile.requires_architecture = "90"; }, "compile.requires"}};
  for (const auto& [breaking, words] : table) {
    auto spec = scale();
    breaking(spec);
    EXPECT_THAT(message_of<UsageError>([&] { complete(spec); }), testing::HasSubstr(words));
  }
}

}  // namespace
}  // namespace attune::tests
