// What changes which fingerprint.
#include <gtest/gtest.h>

#include "spec/kernel_file.hpp"
#include "support/cases.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

// What is replaced in everything.cu, with what, and the fingerprint that covers it.
constexpr std::string_view whole_table = R"table(
  summary = "out => summary = "longer: out => none  ;;  [metrics] => # a comment\n\n[metrics] => none
  summary = "out => deterministic = "ALPHA"\nsummary = "out => none
  A licence may stand here => A longer\n licence may stand here => none
  flops = "2 * n" => flops = "3 * n" => none  ;;  relative = 0.001 => relative = 0.01 => none
  ceil_div(n, 256) => ceil_div(n, 128) => none  ;;  */\n#include => */\n\n#include => none
  ALPHA, Order ORDER => ALPHA, // the order\n Order ORDER => none  ;;  const T* in => const T* other => code
  enum class Order { rows => enum class Order { rows, tiles => code  ;;  -lineinfo => -G => code
  --maxrregcount={ZETA} => --maxrregcount={ITEMS} => code  ;;  defines = true => defines = false => code
  sm_80 => sm_90 => code  ;;  shift = { => shaft = { => contract  ;;  value = 255 => value = 0 => contract
  "double", "int32" => "int32", "double" => contract  ;;  when = "ALPHA" => when = "!ALPHA" => contract
  device.multiprocessors"] => 2 * device.multiprocessors"] => contract
  uniform(-4, 4) => uniform(-4, 5) => contract  ;;  restore = false => restore = true => contract
  role = "in" => role = "inout" => contract  ;;  ceil_div(n, ZETA)" => ceil_div(n, 2 * ZETA)" => contract
  entry = 'finish<T>' => entry = 'finish<T>'\noverlap = "ALPHA" => contract
  shared = "ZETA => cluster = [1]\nshared = "ZETA => contract
  uniform(-4, 4)" => uniform(-4, 4)", place = "mapped" => contract
  [compile] => [[ladder]]\nname = "a"\nsteps = [{ name = "b" }]\n\n[compile] => none
  [2, 1, 4] => [2, 1, 4, 8] => space  ;;  [2, 1, 4] => [1, 2, 4] => space  ;;  [2, 1, 4] => [2.0, 1.0, 4.0] => space
  ITEMS in [1, 2] => ITEMS in [1] => space)table";

TEST(Fingerprints, ChangeWithWhatTheyCoverAndNothingElse) {
  const auto before = read_kernel_text(whole_file(), "a.cu").fingerprints;
  for (const auto& change : cases(whole_table)) {
    SCOPED_TRACE(change.at(1));
    const auto after = read_kernel_text(edited(whole_file(), change.at(0), change.at(1)), "b.cu").fingerprints;
    EXPECT_EQ(before.code != after.code, change.at(2) == "code");
    EXPECT_EQ(before.contract != after.contract, change.at(2) == "contract");
    EXPECT_EQ(before.space != after.space, change.at(2) == "space");
  }
  for (const auto& text : {before.code, before.contract, before.space}) {
    EXPECT_EQ(text.size(), 64u);
    EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  }
}

// What is stored in users' databases: files that use nothing new keep their wisdom.
TEST(Fingerprints, StayFromEditionToEdition) {
  const Fingerprints now = read_kernel_text(whole_file(), "a.cu").fingerprints;
  EXPECT_EQ(now.contract, "31b1c604c7626dadbd26a175802982840ca137d2b95562ff40ae68d2fb2d0a08");
  EXPECT_EQ(now.space, "8174c644740a39cc0d201580e548c81fd50aebff9fa3751307ae540c6680b5ee");
  // As when attune.cuh ended where it did: it must not change either.
  EXPECT_EQ(now.code, "afe7d12b2e1a96dcd8c9efbee300e1e25b8d91717d4c3d0379e6678087ddea7c");
}

TEST(Fingerprints, OfAFillOfTheProblemFollowItsText) {
  const auto contract = [](const char* bounds) {
    return read_kernel_text(edited(whole_file(), "uniform(-4, 4)", bounds), "a.cu").fingerprints.contract;
  };
  EXPECT_NE(contract("uniform(0, n)"), contract("uniform(0, n + 1)"));
  EXPECT_NE(contract("uniform(0, n)"), contract("normal(0, n)"));
  EXPECT_EQ(contract("uniform(-4, 2 + 2)"), contract("uniform(-4, 4)"));
}

TEST(Fingerprints, CoverHeaders) {
  auto spec = read_kernel_file(ATTUNE_TEST_DATA "/kernels/headers/kernel.cu");
  const auto before = fingerprints_of(spec);
  spec.source.headers[1].text += "\n";
  EXPECT_EQ(fingerprints_of(spec).code, before.code);
  spec.source.headers[1].text += "int more;";
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
