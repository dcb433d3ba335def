#include "session/problem_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class ProblemList : public testing::Test {
 protected:
  ProblemList() {
    spec_.name = "reduce";
    spec_.problem = {{"n", ProblemKind::size, {}, {}, {}},
                     {"rows", ProblemKind::size, {}, 7, {}},
                     {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
  }
  std::vector<std::string> texts(const std::string& given) const {
    std::vector<std::string> found;
    for (const Problem& problem : list_problems(spec_, given, "host")) found.push_back(problem.text());
    return found;
  }
  std::string refusal(const std::string& given) const {
    return message_of<UsageError>([&] { texts(given); });
  }
  std::string file_with(const std::string& text) const {
    const std::string file =
        testing::TempDir() + "problem_list." + testing::UnitTest::GetInstance()->current_test_info()->name();
    std::ofstream(file) << text;
    return file;
  }
  KernelSpec spec_;
};

TEST_F(ProblemList, ARangeMultipliesOrAddsUpToItsEnd) {
  EXPECT_THAT(texts("n=2**4..2**8 times 4 T=double"),
              ElementsAre("n=16 rows=7 T=double", "n=64 rows=7 T=double", "n=256 rows=7 T=double"));
  EXPECT_THAT(texts("n=10..35 plus 10"),
              ElementsAre("n=10 rows=7 T=float", "n=20 rows=7 T=float", "n=30 rows=7 T=float"));
  EXPECT_THAT(texts("n=5..5 times 2"), ElementsAre("n=5 rows=7 T=float"));
  EXPECT_THAT(texts("n=2**60..2**62 times 4"),
              ElementsAre("n=1152921504606846976 rows=7 T=float", "n=4611686018427387904 rows=7 T=float"))
      << "the next value has more than 64 bits";
}

TEST_F(ProblemList, SeveralRangesAreCombinedTheLastOneFastest) {
  EXPECT_THAT(texts("n=1..2 plus 1 T=double rows=3..6 times 2"),
              ElementsAre("n=1 rows=3 T=double", "n=1 rows=6 T=double", "n=2 rows=3 T=double", "n=2 rows=6 T=double"));
}

TEST_F(ProblemList, AFileHasAProblemOrARangeOnEachLineAndEachProblemCountsOnce) {
  EXPECT_THAT(texts(file_with("# sizes of the application\nn=8\n\n  n=4..8 times 2 # twice\r\nn=8 T=double\n")),
              ElementsAre("n=8 rows=7 T=float", "n=4 rows=7 T=float", "n=8 rows=7 T=double"));
}

TEST_F(ProblemList, AFileMayBeginWithAByteOrderMark) {
  EXPECT_THAT(texts(file_with("\xEF\xBB\xBFn=8\nn=4\n")), ElementsAre("n=8 rows=7 T=float", "n=4 rows=7 T=float"));
  EXPECT_THAT(refusal(file_with("n=8\n\xEF\xBB\xBFn=4\n")), HasSubstr(":2: "));
}

TEST_F(ProblemList, WhatIsWrongIsNamed) {
  EXPECT_THAT(refusal("n=1..8"), HasSubstr("`n=1..8`: a range needs its step: `n=1..8 times 2`"));
  EXPECT_THAT(refusal("n=1..8 times"), HasSubstr("needs its step"));
  EXPECT_THAT(refusal("n=8..1 times 2"), HasSubstr("`n=8..1 times 2`: the range ends before it begins"));
  EXPECT_THAT(refusal("n=1..8 times 1"), HasSubstr("`times` takes 2 or more"));
  EXPECT_THAT(refusal("n=0..8 times 2"), HasSubstr("of a size from 1 on"));
  EXPECT_THAT(refusal("n=1..8 plus 0"), HasSubstr("`plus` takes 1 or more"));
  EXPECT_THAT(refusal("n=1.. times 2"), HasSubstr("a range has two bounds"));
  EXPECT_THAT(refusal("n=1..2.5 plus 1"), HasSubstr("expected integers, found `2.5`"));
  EXPECT_THAT(refusal("n=1..5000 plus 1"), HasSubstr("a range has 1000 values at most"));
  EXPECT_THAT(refusal("n=1..100 plus 1 rows=1..100 plus 1"), HasSubstr("is more than 1000 problems"));
  EXPECT_THAT(refusal("n=1 n=1..8 times 2"), HasSubstr("`n` is given twice"));
  EXPECT_THAT(refusal("m=1..8 times 2"), HasSubstr("no problem name `m`"));
  EXPECT_THAT(refusal("sizes.txt"), AllOf(HasSubstr("sizes.txt: there is no such file"), HasSubstr("n=2**16..2**28")));
}

TEST_F(ProblemList, AMistakeInAFileIsNamedWithItsLine) {
  const std::string file = file_with("n=8\n# none\nn=1..4\n");
  EXPECT_THAT(refusal(file), HasSubstr(file + ":3: `n=1..4`: a range needs its step"));
  const std::string empty = file_with("# nothing\n");
  EXPECT_THAT(refusal(empty), HasSubstr(empty + ": the file has no problem"));
}

}  // namespace
}  // namespace attune
