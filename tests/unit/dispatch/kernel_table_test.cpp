#include "dispatch/kernel_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// `promise`: a line of [kernel], or "". It is in no fingerprint.
std::vector<KernelPack> packs_of(const std::string& promise) {
  return {make_pack(read_kernel_text("/*attune\n[kernel]\nname = \"twice\"\n" + promise + R"cu(
[problem]
n = "size"
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "twice<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["data", "n"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
n = { type = "int64" }
*/
template <int BLOCK> __global__ void twice(int* data, long long n) {}
)cu",
                                     "twice.cu"),
                    "twice.cu")};
}

TEST(KernelTable, TakesACopyOfWhatItHas) {
  KernelTable table;
  table.add(packs_of("deterministic = \"BLOCK == 64\""));
  EXPECT_NO_THROW(table.add(packs_of("deterministic = \"BLOCK == 64\"")));
  EXPECT_THAT(table.names(), testing::ElementsAre("twice"));
}

// It would decide which configurations deterministic_only allows.
TEST(KernelTable, RefusesAKernelThatPromisesSomethingElse) {
  const std::string promises[] = {"", "deterministic = \"BLOCK == 64\"", "deterministic = \"BLOCK == 128\""};
  for (const std::string& first : promises)
    for (const std::string& second : promises) {
      if (first == second) continue;
      KernelTable table;
      table.add(packs_of(first));
      ASSERT_EQ(table.find("twice").spec.fingerprints.code, packs_of(second).front().spec.fingerprints.code);
      EXPECT_THAT(message_of<UsageError>([&] { table.add(packs_of(second)); }),
                  AllOf(HasSubstr("twice.cu: there is another kernel `twice` already"), HasSubstr("another name")))
          << first << " and " << second;
    }
}

}  // namespace
}  // namespace attune
