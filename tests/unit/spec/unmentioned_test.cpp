// Parameters that change nothing are named; those that anything mentions are not.
#include "spec/unmentioned.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "spec/kernel_file.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// scale.cu with a parameter EXTRA, and the first of each pair replaced.
KernelSpec with_extra(const std::vector<std::pair<std::string, std::string>>& replacements = {}) {
  std::ifstream in(ATTUNE_TEST_DATA "/kernels/scale.cu");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto replace = [&](const std::string& before, const std::string& after) {
    const auto at = text.find(before);
    ASSERT_NE(at, std::string::npos) << before;
    text.replace(at, before.size(), after);
  };
  replace("ITEMS = [1, 2]", "ITEMS = [1, 2]\nEXTRA = [1, 2, 3]");
  for (const auto& [before, after] : replacements) replace(before, after);
  return read_kernel_text(text, "scale.cu");
}

TEST(UnmentionedParameters, AreThoseThatNoPlaceNames) {
  EXPECT_THAT(unmentioned_parameters(with_extra()), ElementsAre("EXTRA"));
  EXPECT_THAT(unmentioned_text(with_extra()), HasSubstr("parameter `EXTRA` changes nothing"));
  EXPECT_THAT(unmentioned_parameters(with_extra({{"for (int i", "for (int EXTRA"}})), ElementsAre("EXTRA"))
      << "the source gets no macros";
}

TEST(UnmentionedParameters, AreNoneThatAnythingNames) {
  const std::pair<const char*, const char*> mentions[] = {
      {"BLOCK * ITEMS <= 128", "BLOCK * ITEMS <= 128 * EXTRA"},
      {"block = [\"BLOCK\"]", "block = [\"BLOCK\"]\nshared = \"EXTRA\""},
      {"block = [\"BLOCK\"]", "block = [\"BLOCK\", \"EXTRA\"]"},
      {"[metrics]", "[compile]\noptions = [\"-DUSED={EXTRA}\"]\n[metrics]"},
      {"2 * n * sizeof(T)", "EXTRA * n * sizeof(T)"}};
  for (const auto& [before, after] : mentions)
    EXPECT_THAT(unmentioned_parameters(with_extra({{before, after}})), IsEmpty()) << after;
  EXPECT_THAT(unmentioned_parameters(with_extra({{"[metrics]", "[compile]\ndefines = true\n[metrics]"},
                                                 {"if (first + i < n)", "if (first + i < n && EXTRA > 0)"}})),
              IsEmpty());
  EXPECT_EQ(unmentioned_text(with_extra({{"BLOCK * ITEMS <= 128", "EXTRA < 3"}})), "");
}

TEST(UnmentionedParameters, NoBuiltinKernelHasAny) {
  for (const EmbeddedFile& file : builtin_kernels())
    EXPECT_THAT(unmentioned_parameters(read_embedded_kernel(file)), IsEmpty()) << file.file_name;
}

}  // namespace
}  // namespace attune
