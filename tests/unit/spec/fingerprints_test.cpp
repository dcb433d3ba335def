// What changes which fingerprint.
#include <gtest/gtest.h>

#include "spec/kernel_file.hpp"
#include "unit/spec/broken_file.hpp"

namespace attune::tests {
namespace {

enum class Covered { by_none, by_code, by_contract, by_space };

struct Change {
  std::string name, text, replacement;
  Covered covered = Covered::by_none;
};

void PrintTo(const Change& change, std::ostream* out) { *out << change.name; }

class Fingerprint : public testing::TestWithParam<Change> {};

TEST_P(Fingerprint, ChangesWithWhatItCoversAndNothingElse) {
  const auto& change = GetParam();
  const auto before = read_kernel_text(whole_file(), "a.cu").fingerprints;
  const auto after = read_kernel_text(edited(whole_file(), change.text, change.replacement), "b.cu").fingerprints;
  EXPECT_EQ(before.code != after.code, change.covered == Covered::by_code);
  EXPECT_EQ(before.contract != after.contract, change.covered == Covered::by_contract);
  EXPECT_EQ(before.space != after.space, change.covered == Covered::by_space);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Fingerprint,
    testing::Values(Change{"summary", "summary = \"out", "summary = \"longer, on\\ntwo lines: out"},
                    Change{"comment_in_front_matter", "[metrics]", "# a comment\n\n[metrics]"},
                    Change{"licence", "A licence may stand here", "A longer\n licence may stand here"},
                    Change{"metrics", "flops = \"2 * n\"", "flops = \"3 * n\""},
                    Change{"check", "relative = 0.001", "relative = 0.01"},
                    Change{"reference_grid", "ceil_div(n, 256)", "ceil_div(n, 128)"},
                    Change{"code", "enum class Order { rows", "enum class Order { rows, tiles", Covered::by_code},
                    Change{"code_on_other_lines", "*/\n#include", "*/\n\n#include"},
                    Change{"fixed_option", "-lineinfo", "-G", Covered::by_code},
                    Change{"tuned_option", "--maxrregcount={ZETA}", "--maxrregcount={ITEMS}", Covered::by_code},
                    Change{"defines", "defines = true", "defines = false", Covered::by_code},
                    Change{"requires_architecture", "sm_80", "sm_90", Covered::by_code},
                    Change{"problem_name_unused", "shift = {", "shaft = {", Covered::by_contract},
                    Change{"type_list", "\"double\", \"int32\"", "\"int32\", \"double\"", Covered::by_contract},
                    Change{"grid", "device.multiprocessors\"]", "2 * device.multiprocessors\"]", Covered::by_contract},
                    Change{"memset_value", "value = 255", "value = 0", Covered::by_contract},
                    Change{"when", "when = \"ALPHA\"", "when = \"!ALPHA\"", Covered::by_contract},
                    Change{"fill", "uniform(-4, 4)", "uniform(-4, 5)", Covered::by_contract},
                    Change{"restore", "restore = false", "restore = true", Covered::by_contract},
                    Change{"role", "role = \"in\"", "role = \"inout\"", Covered::by_contract},
                    Change{"argument_value", "ceil_div(n, ZETA)\"", "ceil_div(n, 2 * ZETA)\"", Covered::by_contract},
                    Change{"new_value", "[2, 1, 4]", "[2, 1, 4, 8]", Covered::by_space},
                    Change{"other_default", "[2, 1, 4]", "[1, 2, 4]", Covered::by_space},
                    Change{"kind_of_a_value", "[2, 1, 4]", "[2.0, 1.0, 4.0]", Covered::by_space},
                    Change{"rule", "ITEMS in [1, 2]", "ITEMS in [1]", Covered::by_space}),
    [](const auto& param_info) { return param_info.param.name; });

TEST(Fingerprints, AreHexadecimalAndReproducible) {
  const auto a = read_kernel_text(whole_file(), "a.cu").fingerprints;
  const auto b = read_kernel_text(whole_file(), "b.cu").fingerprints;
  EXPECT_EQ(a.code, b.code);
  EXPECT_EQ(a.contract, b.contract);
  EXPECT_EQ(a.space, b.space);
  for (const auto& text : {a.code, a.contract, a.space}) {
    EXPECT_EQ(text.size(), 64u);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

TEST(Fingerprints, CoverHeaders) {
  auto spec = read_kernel_file(ATTUNE_TEST_DATA "/kernels/headers/kernel.cu");
  const auto before = fingerprints_of(spec);
  spec.source.headers[1].text += "\n";
  EXPECT_NE(fingerprints_of(spec).code, before.code);
}

TEST(Fingerprints, CoverAttunesHeaderOnlyWhereItIsIncluded) {
  auto spec = read_kernel_text(whole_file(), "a.cu");
  const auto with = fingerprints_of(spec).code;
  spec.source.text = edited(spec.source.text, "#include \"attune.cuh\"", "#include \"attune.cuX\"");
  const auto without = fingerprints_of(spec).code;
  spec.source.text = edited(spec.source.text, "#include \"attune.cuX\"", "#include <attune.cuh>");
  EXPECT_NE(with, without);
  EXPECT_NE(fingerprints_of(spec).code, without);
}

}  // namespace
}  // namespace attune::tests
