// [kernel] empty: what is read, refused and hashed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::HasSubstr;

KernelSpec read_with(const std::string& line) {
  return read_kernel_text(edited(test::smooth_file, "name = \"smooth\"", "name = \"smooth\"\n" + line), "smooth.cu");
}

TEST(Empty, IsReadAndIsInTheContractWhereItIsSet) {
  const KernelSpec without = read_with(""), with = read_with("empty = \"nothing\"");
  EXPECT_FALSE(without.may_be_empty);
  EXPECT_TRUE(with.may_be_empty);
  EXPECT_NE(with.fingerprints.contract, without.fingerprints.contract);
  EXPECT_EQ(with.fingerprints.code, without.fingerprints.code);
  EXPECT_EQ(with.fingerprints.space, without.fingerprints.space);
}

TEST(Empty, IsNothingAndNothingElse) {
  const auto message = [](const std::string& line) { return message_of<SpecError>([&] { read_with(line); }); };
  EXPECT_THAT(message("empty = \"maybe\""),
              HasSubstr("smooth.cu:4:9: expected \"nothing\": a plan for a problem with a size of 0 then launches "
                        "nothing, found `maybe`"));
  EXPECT_THAT(message("empty = true"), HasSubstr("expected \"nothing\""));
  EXPECT_THAT(message("empty = true"), HasSubstr("found `true`"));
  EXPECT_THAT(message("empty = \"\""), HasSubstr("expected \"nothing\""));
  EXPECT_THAT(message("emtpy = \"nothing\""), HasSubstr("did you mean `empty`"));
  std::string text = edited(test::smooth_file, "name = \"smooth\"", "name = \"smooth\"\nempty = \"nothing\"");
  text = edited(edited(text, "n = { size = 1000 }", "n = { integer = 1000 }"), "radius = { size = 2 }",
                "radius = { integer = 2 }");
  EXPECT_THAT(message_of<SpecError>([&] { read_kernel_text(text, "smooth.cu"); }),
              HasSubstr("smooth.cu:4:9: [problem] has no \"size\" that could be 0"));
}

TEST(Empty, LetsSizesBeZeroForApplicationsAlone) {
  const KernelSpec without = read_with(""), with = read_with("empty = \"nothing\"");
  EXPECT_EQ(parse_problem(with, "n=0", "host", EmptyProblem::allowed).text(), "n=0 radius=2 T=float");
  const auto message = [](const KernelSpec& spec, const char* text, EmptyProblem empty = EmptyProblem::refused) {
    return message_of<UsageError>([&] { parse_problem(spec, text, "host", empty); });
  };
  EXPECT_THAT(message(with, "n=0"), HasSubstr("expected a size from 1 to 2**62; for 0 nothing is launched, so there is "
                                              "nothing to tune"));
  for (const EmptyProblem empty : {EmptyProblem::refused, EmptyProblem::allowed})
    EXPECT_THAT(message(without, "radius=0", empty), HasSubstr("write empty = \"nothing\" in [kernel]"));
  EXPECT_THAT(message(with, "n=-1", EmptyProblem::allowed), HasSubstr("expected a size from 0 to 2**62"));
  EXPECT_EQ(message(with, "n=-1").find("nothing"), std::string::npos);
  EXPECT_THAT(message_of<SpecError>([] {
                read_kernel_text(
                    edited(edited(test::smooth_file, "name = \"smooth\"", "name = \"smooth\"\nempty = \"nothing\""),
                           "{ size = 1000 }", "{ size = 0 }"),
                    "smooth.cu");
              }),
              HasSubstr("0 is no size"));
}

}  // namespace
}  // namespace attune::tests
