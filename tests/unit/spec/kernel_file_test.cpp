// Kernel files that are right: every section lands in its member of KernelSpec.
#include "spec/kernel_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "unit/spec/broken_file.hpp"

namespace attune::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

KernelSpec everything() { return read_kernel_text(whole_file(), "everything.cu"); }

template <typename Items>
std::vector<std::string> names(const Items& items) {
  std::vector<std::string> result;
  for (const auto& item : items) result.push_back(item.name);
  return result;
}

std::vector<std::string> texts(const std::vector<Expression>& expressions) {
  std::vector<std::string> result;
  for (const auto& expression : expressions) result.push_back(expression.text());
  return result;
}

TEST(KernelFile, KeepsTheOrderOfTheSource) {
  const auto spec = everything();
  EXPECT_THAT(names(spec.problem), ElementsAre("n", "offset", "shift", "T"));
  EXPECT_THAT(names(spec.parameters), ElementsAre("ZETA", "ALPHA", "ORDER", "FACTOR", "ITEMS"));
  EXPECT_THAT(names(spec.arguments), ElementsAre("out", "in", "carry", "work", "n", "offset", "scale", "tiles"));
}

TEST(KernelFile, ReadsNameSummaryAndProblem) {
  const auto spec = everything();
  EXPECT_EQ(spec.name, "everything");
  EXPECT_EQ(spec.summary, "out[i] = scale * in[i] + carry[i], on part of a ring");
  EXPECT_EQ(spec.problem[0].kind, ProblemKind::size);
  EXPECT_EQ(spec.problem[0].default_value, 65536);
  EXPECT_EQ(spec.problem[0].device_default.at("host"), 1024);
  EXPECT_EQ(spec.problem[1].kind, ProblemKind::integer);
  EXPECT_EQ(spec.problem[1].default_value, std::nullopt);
  EXPECT_EQ(spec.problem[2].default_value, -3);
  EXPECT_EQ(spec.problem[3].kind, ProblemKind::type);
  EXPECT_THAT(spec.problem[3].types, ElementsAre("float", "double", "int32"));
}

TEST(KernelFile, ReadsValuesOfEveryKind) {
  const auto spec = everything();
  EXPECT_THAT(spec.parameters[0].values, ElementsAre(Value(128), Value(256), Value(64)));
  EXPECT_THAT(spec.parameters[1].values, ElementsAre(Value(true), Value(false)));
  EXPECT_THAT(spec.parameters[2].values, ElementsAre(Value("Order::rows"), Value("Order::columns")));
  EXPECT_THAT(spec.parameters[3].values, ElementsAre(Value(0.5), Value(1.0)));
}

TEST(KernelFile, ReadsSteps) {
  const auto spec = everything();
  ASSERT_EQ(spec.launch.size(), 3u);
  EXPECT_EQ(spec.launch[0].kind, StepKind::memset);
  EXPECT_EQ(spec.launch[0].memset_argument, "carry");
  EXPECT_EQ(spec.launch[0].memset_value, 255);
  EXPECT_EQ(spec.launch[0].when->text(), "ALPHA");
  const auto& step = spec.launch[1];
  EXPECT_EQ(step.entry, "everything<T, ZETA, ALPHA, ORDER, ITEMS>");
  EXPECT_THAT(texts(step.grid), ElementsAre("ceil_div(n, ZETA * ITEMS)", "2"));
  EXPECT_THAT(texts(step.block), ElementsAre("ZETA", "1"));
  EXPECT_EQ(step.shared->text(), "ZETA * sizeof(T)");
  EXPECT_THAT(step.arguments, ElementsAre("out", "in", "carry", "work", "n", "offset", "scale", "tiles"));
  EXPECT_FALSE(step.when.has_value());
  ASSERT_EQ(spec.prepare.size(), 1u);
  EXPECT_EQ(spec.prepare[0].entry, "prepare_ring");
  ASSERT_EQ(spec.reference.size(), 1u);
  EXPECT_EQ(spec.reference[0].entry, "everything_reference<T>");
}

TEST(KernelFile, ReadsArguments) {
  const auto spec = everything();
  EXPECT_EQ(spec.find_argument("out")->role, Role::out);
  const auto& in = *spec.find_argument("in");
  EXPECT_EQ(in.role, Role::in);
  EXPECT_EQ(in.fill->kind, FillKind::uniform);
  EXPECT_EQ(in.fill->integer_a, -4);
  EXPECT_EQ(in.fill->b, 4);
  const auto& carry = *spec.find_argument("carry");
  EXPECT_EQ(carry.role, Role::inout);
  EXPECT_FALSE(carry.restore);
  EXPECT_EQ(carry.size->text(), "2 * n");
  EXPECT_EQ(spec.find_argument("work")->role, Role::scratch);
  EXPECT_EQ(spec.find_argument("n")->role, Role::scalar);
  EXPECT_EQ(spec.find_argument("scale")->fill->a, 2.5);
  EXPECT_EQ(spec.find_argument("tiles")->value->text(), "ceil_div(n, ZETA)");
}

TEST(KernelFile, ReadsChecksMetricsAndOptions) {
  const auto spec = everything();
  EXPECT_EQ(spec.check.absolute->text(), "8 * epsilon(T) * sqrt(n)");
  EXPECT_EQ(spec.check.relative->real({}, "relative"), 0.001);
  EXPECT_FALSE(spec.check.allow_nonfinite.has_value());
  EXPECT_EQ(spec.argument_check.at("carry").absolute->integer({}, "absolute"), 0);
  EXPECT_EQ(spec.argument_check.at("carry").allow_nonfinite, true);
  EXPECT_EQ(spec.metrics.bytes->text(), "2 * n * sizeof(T)");
  EXPECT_EQ(spec.metrics.flops->text(), "2 * n");
  EXPECT_THAT(spec.compile.options,
              ElementsAre("--maxrregcount={ZETA}", "--use_fast_math if ALPHA && ITEMS > 1", "-lineinfo"));
  EXPECT_TRUE(spec.compile.defines);
  EXPECT_EQ(spec.compile.requires_architecture, "sm_80");
}

TEST(KernelFile, ShowsTheCompilerTheCodeOnItsOwnLines) {
  const auto file = whole_file();
  const auto spec = read_kernel_text(file, "everything.cu");
  const auto& code = spec.source.text;
  ASSERT_EQ(code.size(), file.size());
  EXPECT_EQ(std::count(code.begin(), code.end(), '\n'), std::count(file.begin(), file.end(), '\n'));
  EXPECT_EQ(code.find("[kernel]"), std::string::npos);
  const auto include = file.find("#include");
  EXPECT_EQ(code.substr(include), file.substr(include));
  EXPECT_THAT(code, HasSubstr("/* A licence may stand here"));
}

TEST(KernelFile, ReadsTheSameWithLinesThatEndInCarriageReturns) {
  auto file = whole_file();
  for (std::size_t at = 0; (at = file.find('\n', at)) != std::string::npos; at += 2) file.replace(at, 1, "\r\n");
  const auto spec = read_kernel_text(file, "everything.cu");
  EXPECT_EQ(spec.fingerprints.contract, everything().fingerprints.contract);
  EXPECT_EQ(spec.fingerprints.space, everything().fingerprints.space);
}

TEST(KernelFile, SkipsAByteOrderMark) {
  const auto spec = read_kernel_text("\xEF\xBB\xBF" + whole_file(), "everything.cu");
  EXPECT_EQ(spec.source.text.substr(0, 4), "   /");
}

TEST(KernelFile, IsReadFromAFile) {
  const auto spec = read_kernel_file(ATTUNE_TEST_DATA "/kernels/everything.cu");
  EXPECT_EQ(spec.source.name, "everything.cu");
  EXPECT_EQ(spec.fingerprints.code, everything().fingerprints.code);
}

TEST(KernelFile, IsWrittenAsTheDocumentationShows) {
  std::ifstream stream(ATTUNE_SOURCE_DIR "/docs/kernel_files.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  constexpr std::string_view fence = "```cuda\n";
  const auto begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const auto code = page.substr(begin + fence.size());
  const auto spec = read_kernel_text(code.substr(0, code.find("```")), "scale.cu");
  EXPECT_EQ(spec.name, "scale");
  EXPECT_EQ(make_problem(spec, {}, "host").text(), "n=65536 T=float");
  EXPECT_EQ(parse_configuration(spec, "").text(), "BLOCK=256 ITEMS=1");
}

TEST(KernelFile, NamesTheWholePathInAnErrorAndTheReasonWhenItCannotBeRead) {
  try {
    read_kernel_file("/nowhere/mine.cu");
    FAIL() << "a file that is not there was read";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/mine.cu"));
    EXPECT_THAT(error.what(), HasSubstr("No such file"));
  }
  EXPECT_THROW(read_kernel_file(ATTUNE_TEST_DATA), Error);
}

TEST(BuiltinKernels, AreInAlphabeticalOrderAndNamedAsTheirFiles) {
  std::vector<std::string> found;
  for (const auto& file : builtin_kernels()) {
    const auto spec = read_kernel_text(file.text, std::string(file.file_name));
    EXPECT_EQ(spec.name + ".cu", file.file_name);
    EXPECT_FALSE(spec.reference.empty()) << spec.name;
    EXPECT_FALSE(spec.summary.empty()) << spec.name;
    found.push_back(spec.name);
  }
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_THAT(found, testing::IsSupersetOf({"axpy", "reduce", "transpose"}));
  EXPECT_THAT(std::string(attune_cuh()), HasSubstr("#pragma once"));
}

TEST(BuiltinKernels, LoadByNameAndByPathAlike) {
  const auto by_name = load_kernel("transpose");
  const auto by_path = load_kernel(ATTUNE_SOURCE_DIR "/kernels/transpose.cu");
  EXPECT_EQ(by_name.fingerprints.code, by_path.fingerprints.code);
  EXPECT_EQ(by_name.fingerprints.contract, by_path.fingerprints.contract);
  EXPECT_EQ(by_name.source.name, "transpose.cu");
}

TEST(BuiltinKernels, HaveDefaultsThatResolveOnEveryArchitecture) {
  for (const auto& file : builtin_kernels()) {
    const auto spec = read_kernel_text(file.text, std::string(file.file_name));
    const auto problem = make_problem(spec, {}, "cuda");
    const auto configuration = parse_configuration(spec, "");
    for (const auto& architecture : known_architectures()) {
      const auto device = device_limits(architecture);
      EXPECT_FALSE(resolve_steps(spec, spec.launch, problem, &configuration, device).empty());
      EXPECT_FALSE(resolve_steps(spec, spec.reference, problem, nullptr, device).empty());
      EXPECT_EQ(resolve_arguments(spec, problem, &configuration, device).size(), spec.arguments.size());
    }
  }
}

TEST(CalibrationKernels, AreReadAndNoneIsKnownToUsers) {
  std::vector<std::string> found;
  for (const KernelSpec& spec : calibration_kernels()) {
    found.push_back(spec.name);
    EXPECT_FALSE(spec.reference.empty()) << spec.name;
    EXPECT_TRUE(spec.metrics.bytes || spec.metrics.flops) << spec.name;
    EXPECT_THROW(load_kernel(spec.name), UsageError);
  }
  EXPECT_THAT(found, testing::ElementsAre("copy", "read", "fma", "launch"));
}

TEST(BuiltinKernels, SuggestTheNearestNameForAnUnknownOne) {
  try {
    load_kernel("transpos");
    FAIL() << "an unknown kernel was loaded";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("`transpos`"));
    EXPECT_THAT(error.what(), HasSubstr("did you mean `transpose`"));
    EXPECT_THAT(error.what(), HasSubstr(".cu"));
  }
}

}  // namespace
}  // namespace attune::tests
