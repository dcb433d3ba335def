#include "dispatch/kernel_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"
#include "spec/pack.hpp"
#include "support/idle_device.hpp"
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

// A table without plans.
class KernelTables : public testing::Test {
 protected:
  void add(const std::string& promise) {
    table_->add(packs_of(promise), [this] { ++additions_; });
  }
  void clear() { table_.emplace(services_); }
  Warnings warnings_{[](const std::string&) {}};
  Background background_;
  RetiredPlans retired_;
  EntryServices services_{std::make_shared<test::IdleDevice>(), {}, warnings_, background_, retired_, {}};
  std::optional<KernelTable> table_{std::in_place, services_};
  int additions_ = 0;
};

TEST_F(KernelTables, TakeACopyOfWhatTheyHave) {
  add("deterministic = \"BLOCK == 64\"");
  EXPECT_NO_THROW(add("deterministic = \"BLOCK == 64\""));
  ASSERT_EQ(table_->all().size(), 1u);
  EXPECT_EQ(table_->all().front()->name(), "twice");
}

// It would decide which configurations deterministic_only allows.
TEST_F(KernelTables, RefuseAKernelThatPromisesSomethingElse) {
  const std::string promises[] = {"", "deterministic = \"BLOCK == 64\"", "deterministic = \"BLOCK == 128\""};
  for (const std::string& first : promises)
    for (const std::string& second : promises) {
      if (first == second) continue;
      clear();
      add(first);
      ASSERT_EQ(table_->find("twice").pack().spec.fingerprints.code, packs_of(second).front().spec.fingerprints.code);
      EXPECT_THAT(message_of<UsageError>([&] { add(second); }),
                  AllOf(HasSubstr("twice.cu: there is another kernel `twice` already"), HasSubstr("another name")))
          << first << " and " << second;
    }
}

// Who finds a kernel finds its wisdom too. That of a kernel that is refused is not added.
TEST_F(KernelTables, AddWisdomBeforeKernels) {
  EXPECT_THROW(table_->add(packs_of(""), [] { throw Error("no memory for wisdom"); }), Error);
  EXPECT_THROW(table_->find("twice"), UsageError);
  add("");
  EXPECT_THROW(add("deterministic = true"), UsageError);
  EXPECT_EQ(additions_, 1);
}

}  // namespace
}  // namespace attune
