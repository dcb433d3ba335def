#include "kernel/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "support/cases.hpp"
#include "support/sample_kernel.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(MakeProblem, CompletesWithDefaultsInTheOrderOfTheKernel) {
  EXPECT_EQ(parse_problem(sample_kernel(), "rows=3", "cuda").text(), "n=4096 shift=0 T=float rows=3");
  EXPECT_EQ(parse_problem(sample_kernel(), "rows=3", "host").text(), "n=256 shift=0 T=float rows=3");
  EXPECT_EQ(parse_problem(sample_kernel(), "T=half rows=2**10 shift=-5 n=7", "host").text(),
            "n=7 shift=-5 T=half rows=1024");
  EXPECT_EQ(parse_problem(sample_kernel(), "rows=2**62", "cuda").at("rows"), Value(std::int64_t{1} << 62));
}

TEST(MakeProblem, RefusesWhatIsNoProblemOfTheKernel) {
  const auto message = [](const std::string& text) {
    return message_of<UsageError>([&] { parse_problem(sample_kernel(), text, "cuda"); });
  };
  for (const auto& item : cases(R"(
      rows=0 => kernel `sample`, problem rows=0: expected a size from 1 to 2**62
      rows=-4 => problem rows=-4: expected a size ;; rows=2**62+1 => expected a size from 1 to 2**62
      rows=2**63 => `rows=2**63`: overflow ;; rows=9223372036854775808 => too large
      rows=float => rows=float: expected an integer ;; rows=true => expected an integer
      rows=1e6 => rows=1e+06: expected an integer such as 4096, 2**28 or 10**6
      rows=3 shift=0.5 => shift=0.5: expected an integer ;; rows=3 T=double => known: float, half, int32
      rows=3 T=flaot => T=flaot: expected a type that the kernel lists; did you mean `float`?
      rows=3 T=4 => T=4: expected a type ;; row=3 => kernel `sample` has no problem name `row`; did you mean `rows`?
      rows=3 BLOCK=128 => `BLOCK` (it is a parameter, which the search chooses))"))
    EXPECT_THAT(message(item.at(0)), HasSubstr(item.at(1)));
  EXPECT_THAT(message(""), HasSubstr("problem name `rows` has no default; give a value, as in rows=4096"));
}

TEST(MakeProblem, NamesAllMissingValuesAtOnce) {
  KernelSpec spec = sample_kernel();
  spec.problem.emplace_back().name = "columns";
  EXPECT_THAT(message_of<UsageError>([&] { parse_problem(spec, "T=half", "cuda"); }),
              HasSubstr("problem names `rows`, `columns` have no default; give values, as in rows=4096 columns=4096"));
}

TEST(MakeProblem, RefusesANameThatIsGivenTwice) {
  for (const int again : {8, 7})
    EXPECT_THAT(message_of<UsageError>([&] {
                  make_problem(sample_kernel(), Problem{{"n", 7}, {"rows", 3}, {"n", again}}, "cuda");
                }),
                HasSubstr("kernel `sample`: the problem has `n` twice; give it once"));
}

TEST(ParseConfiguration, CompletesWithDefaultsAndTakesANumberHoweverItIsWritten) {
  EXPECT_EQ(parse_configuration(sample_kernel(), "").text(),
            "BLOCK=256 VECTOR=1 RATIO=1.0 FAST=false ORDER=Order::rows");
  EXPECT_EQ(parse_configuration(sample_kernel(), "FAST=true ORDER=Order::columns BLOCK=2**7").text(),
            "BLOCK=128 VECTOR=1 RATIO=1.0 FAST=true ORDER=Order::columns");
  EXPECT_EQ(parse_configuration(sample_kernel(), "RATIO=1 BLOCK=512.0").text(),
            "BLOCK=512 VECTOR=1 RATIO=1.0 FAST=false ORDER=Order::rows");
}

TEST(ParseConfiguration, RefusesWhatTheKernelDoesNotList) {
  for (const auto& item : cases(R"(
      BLOK=128 => kernel `sample` has no parameter `BLOK`; did you mean `BLOCK`?
      BLOCK=100 => parameter BLOCK=100: the parameter lists 256, 128, 512, 1024
      FAST=1 => lists false, true ;; ORDER=rows => lists Order::rows, Order::columns)"))
    EXPECT_THAT(message_of<UsageError>([&] { parse_configuration(sample_kernel(), item.at(0)); }),
                HasSubstr(item.at(1)));
}

TEST(Narrow, KeepsTheListedValuesInTheKernelsOrder) {
  const KernelSpec spec = narrow(sample_kernel(), "BLOCK=512,2**7 ORDER='Order::columns'");
  EXPECT_THAT(spec.find_parameter("BLOCK")->values, ElementsAre(Value(128), Value(512)));
  EXPECT_THAT(spec.find_parameter("ORDER")->values, ElementsAre(Value("Order::columns")));
  EXPECT_EQ(spec.find_parameter("VECTOR")->values.size(), 3u);
}

TEST(Narrow, ChangesTheSpaceFingerprintAsTheSpaceChanges) {
  const auto space = [](const char* text) { return narrow(sample_kernel(), text).fingerprints.space; };
  EXPECT_EQ(space(""), sample_kernel().fingerprints.space);
  EXPECT_EQ(space("VECTOR=1,2,4"), sample_kernel().fingerprints.space);
  EXPECT_NE(space("VECTOR=1,2"), sample_kernel().fingerprints.space);
  EXPECT_EQ(space("VECTOR=1,2 BLOCK=128"), space("BLOCK=128 VECTOR=2,1"));
  EXPECT_NE(space("VECTOR=1,2"), space("VECTOR=1,4"));
}

TEST(Narrow, RefusesWhatTheKernelDoesNotList) {
  for (const auto& item : cases(R"(
      BLOK=128 => did you mean `BLOCK`? ;; BLOCK=128,100 => lists 256, 128, 512, 1024 ;; BLOCK => expected name=value
      BLOCK=128, VECTOR=1 => expected a value between the commas ;; BLOCK=128 BLOCK=256 => given twice)"))
    EXPECT_THAT(message_of<UsageError>([&] { narrow(sample_kernel(), item.at(0)); }), HasSubstr(item.at(1)));
}

}  // namespace
}  // namespace attune
