// Kernel files that are right: every section lands in its member of KernelSpec.
#include "spec/kernel_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "attune/search_space.hpp"
#include "base/digest.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "support/message_of.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

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

class KernelFile : public testing::Test {
 protected:
  const std::string file = whole_file();
  const KernelSpec spec = read_kernel_text(file, "everything.cu");
};

TEST_F(KernelFile, KeepsTheOrderOfTheSource) {
  EXPECT_THAT(names(spec.problem), ElementsAre("n", "offset", "shift", "T"));
  EXPECT_THAT(names(spec.parameters), ElementsAre("ZETA", "ALPHA", "ORDER", "FACTOR", "ITEMS"));
  EXPECT_THAT(names(spec.arguments), ElementsAre("out", "in", "carry", "work", "n", "offset", "scale", "tiles"));
}

TEST_F(KernelFile, ReadsNameProblemAndValuesOfEveryKind) {
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
  EXPECT_THAT(spec.parameters[0].values, ElementsAre(128, 256, 64));
  EXPECT_THAT(spec.parameters[1].values, ElementsAre(true, false));
  EXPECT_THAT(spec.parameters[2].values, ElementsAre("Order::rows", "Order::columns"));
  EXPECT_THAT(spec.parameters[3].values, ElementsAre(0.5, 1.0));
}

TEST_F(KernelFile, ReadsSteps) {
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

TEST_F(KernelFile, ReadsArguments) {
  EXPECT_EQ(spec.find_argument("out")->role, Role::out);
  const auto& in = *spec.find_argument("in");
  EXPECT_EQ(in.role, Role::in);
  EXPECT_EQ(in.fill->kind, FillKind::uniform);
  EXPECT_EQ(in.fill->numbers.at(0).text(), "-4");
  EXPECT_EQ(in.fill->numbers.at(1).text(), "4");
  const auto& carry = *spec.find_argument("carry");
  EXPECT_EQ(carry.role, Role::inout);
  EXPECT_FALSE(carry.restore);
  EXPECT_EQ(carry.size->text(), "2 * n");
  EXPECT_EQ(spec.find_argument("work")->role, Role::scratch);
  EXPECT_EQ(spec.find_argument("n")->role, Role::scalar);
  EXPECT_EQ(spec.find_argument("scale")->fill->numbers.at(0).text(), "2.5");
  EXPECT_EQ(spec.find_argument("tiles")->value->text(), "ceil_div(n, ZETA)");
}

TEST_F(KernelFile, ReadsChecksMetricsAndOptions) {
  EXPECT_EQ(spec.check.absolute->text(), "8 * epsilon(T) * sqrt(n)");
  EXPECT_EQ(spec.check.relative->real({}, "relative"), 0.001);
  EXPECT_FALSE(spec.check.allow_nonfinite.has_value());
  EXPECT_EQ(spec.argument_check.at("carry").absolute->integer({}, "absolute"), 0);
  EXPECT_EQ(spec.argument_check.at("carry").allow_nonfinite, true);
  EXPECT_EQ(spec.metrics.bytes->text(), "2 * n * sizeof(T)");
  EXPECT_EQ(spec.metrics.flops->text(), "2 * n");
  EXPECT_THAT(spec.compile.options,
              ElementsAre("--maxrregcount={ZETA}", "--use_fast_math if ALPHA && ITEMS > 1", "-lineinfo"));
  EXPECT_EQ(spec.compile.defines, Defines::all);
  EXPECT_EQ(spec.compile.requires_architecture, "sm_80");
}

// A promise about the code: of which configurations equal inputs give equal bits.
TEST_F(KernelFile, ReadsWhatIsDeterministic) {
  EXPECT_FALSE(spec.deterministic.has_value());
  const auto read = [&](const std::string& key) {
    return read_kernel_text(edited(file, "summary = ", "deterministic = " + key + "\nsummary = "), "a.cu")
        .deterministic;
  };
  EXPECT_EQ(read("true")->text(), "true");
  EXPECT_EQ(read("false")->text(), "false");
  EXPECT_EQ(read("\"T == 'int32' || !ALPHA && n < 2 ** 31\"")->text(), "T == 'int32' || !ALPHA && n < 2 ** 31");
  EXPECT_EQ(read("\"device.compute_capability >= 90\"")->text(), "device.compute_capability >= 90");
}

TEST_F(KernelFile, ShowsTheCompilerTheCodeOnItsOwnLines) {
  const auto& code = spec.source.text;
  ASSERT_EQ(code.size(), file.size());
  EXPECT_EQ(std::count(code.begin(), code.end(), '\n'), std::count(file.begin(), file.end(), '\n'));
  EXPECT_EQ(code.find("[kernel]"), std::string::npos);
  const auto include = file.find("#include");
  EXPECT_EQ(code.substr(include), file.substr(include));
  EXPECT_THAT(code, HasSubstr("/* A licence may stand here"));
}

TEST_F(KernelFile, ReadsTheSameFromAFileWithCarriageReturnsAndAByteOrderMark) {
  const auto from_file = read_kernel_file(ATTUNE_TEST_DATA "/kernels/everything.cu");
  EXPECT_EQ(from_file.source.name, "everything.cu");
  EXPECT_EQ(from_file.fingerprints.code, spec.fingerprints.code);
  std::string other = file;
  for (std::size_t at = 0; (at = other.find('\n', at)) != std::string::npos; at += 2) other.replace(at, 1, "\r\n");
  const auto with_returns = read_kernel_text(other, "everything.cu");
  EXPECT_EQ(with_returns.fingerprints.contract, spec.fingerprints.contract);
  EXPECT_EQ(with_returns.fingerprints.space, spec.fingerprints.space);
  EXPECT_EQ(read_kernel_text("\xEF\xBB\xBF" + file, "everything.cu").source.text.substr(0, 4), "   /");
}

TEST_F(KernelFile, IsWrittenAsTheDocumentationShows) {
  std::ifstream stream(ATTUNE_SOURCE_DIR "/docs/kernel_files.md", std::ios::binary);
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  constexpr std::string_view fence = "```cuda\n";
  const auto begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const auto code = page.substr(begin + fence.size());
  const auto shown = read_kernel_text(code.substr(0, code.find("```")), "scale.cu");
  EXPECT_EQ(shown.name, "scale");
  EXPECT_EQ(make_problem(shown, {}, "host").text(), "n=65536 T=float");
  EXPECT_EQ(parse_configuration(shown, "").text(), "BLOCK=256 ITEMS=1");
}

TEST_F(KernelFile, NamesTheWholePathInAnErrorAndTheReasonWhenItCannotBeRead) {
  EXPECT_THAT(message_of<Error>([] { read_kernel_file("/nowhere/mine.cu"); }),
              AllOf(HasSubstr("/nowhere/mine.cu"), HasSubstr("there is no such file")));
  EXPECT_THROW(read_kernel_file(ATTUNE_TEST_DATA), Error);
}

TEST(BuiltinKernels, AreInAlphabeticalOrderAndNamedAsTheirFiles) {
  std::vector<std::string> found;
  for (const auto& file : builtin_kernels()) {
    const auto spec = read_embedded_kernel(file);
    EXPECT_EQ(spec.name + ".cu", file.file_name);
    EXPECT_FALSE(spec.reference.empty()) << spec.name;
    EXPECT_FALSE(spec.summary.empty()) << spec.name;
    found.push_back(spec.name);
  }
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  EXPECT_THAT(found, testing::IsSupersetOf({"axpy", "reduce", "transpose"}));
  EXPECT_THAT(std::string(attune_cuh()), HasSubstr("#pragma once"));
}

TEST(BuiltinKernels, LoadByNameAndByPathAlikeAndSuggestTheNearestName) {
  const auto by_name = load_kernel("transpose");
  const auto by_path = load_kernel(ATTUNE_SOURCE_DIR "/kernels/transpose.cu");
  EXPECT_EQ(by_name.fingerprints.code, by_path.fingerprints.code);
  EXPECT_EQ(by_name.fingerprints.contract, by_path.fingerprints.contract);
  EXPECT_EQ(by_name.source.name, "transpose.cu");
  EXPECT_THAT(message_of<UsageError>([] { load_kernel("transpos"); }),
              AllOf(HasSubstr("`transpos`"), HasSubstr("did you mean `transpose`"), HasSubstr(".cu")));
}

TEST(BuiltinKernels, HaveDefaultsThatResolveOnEveryArchitecture) {
  for (const auto& file : builtin_kernels()) {
    const auto spec = read_embedded_kernel(file);
    const auto problem = make_problem(spec, {}, "cuda");
    for (const auto& architecture : known_architectures()) {
      const auto device = device_limits(architecture);
      const auto configuration = default_configuration(spec, problem, device);
      ASSERT_TRUE(configuration) << spec.name << " on " << architecture;
      EXPECT_FALSE(resolve_steps(spec, spec.launch, problem, &*configuration, device).empty());
      EXPECT_FALSE(resolve_steps(spec, spec.reference, problem, nullptr, device).empty());
      EXPECT_EQ(resolve_arguments(spec, problem, &*configuration, device).size(), spec.arguments.size());
    }
  }
}

TEST(CalibrationKernels, AreReadAndNoneIsKnownToUsers) {
  std::vector<std::string> found;
  for (const KernelSpec& spec : calibration_kernels()) {
    found.push_back(spec.name);
    EXPECT_FALSE(spec.reference.empty()) << spec.name;
    EXPECT_TRUE(spec.metrics.bytes || spec.metrics.flops) << spec.name;
    // `copy` is also the name of a kernel for users: another one.
    if (spec.name == "copy") {
      EXPECT_NE(load_kernel(spec.name).fingerprints.code, spec.fingerprints.code);
    } else {
      EXPECT_THROW(load_kernel(spec.name), UsageError);
    }
  }
  EXPECT_THAT(found, testing::ElementsAre("copy", "read", "fma", "launch"));
}

// The keys of images rest on it.
TEST(EmbeddedFiles, HaveTheDigestOfTheirText) {
  const std::vector<EmbeddedFile> kernels = builtin_kernels();
  ASSERT_FALSE(kernels.empty());
  for (const EmbeddedFile& file : kernels) EXPECT_EQ(file.digest, sha256(file.text)) << file.file_name;
}

}  // namespace
}  // namespace attune::tests
