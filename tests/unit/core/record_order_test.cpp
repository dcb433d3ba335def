// The order of records, and the hash that each carries.
#include "core/record_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/record_hash.hpp"

namespace attune {
namespace {

Record record_of(std::string uuid) {
  Record record;
  record.uuid = std::move(uuid);
  record.key.kernel = "reduce";
  record.key.problem = Problem{{"n", 1024}, {"T", "float"}};
  return record;
}

// Each is weaker than those before it.
std::vector<Record> in_order() {
  std::vector<Record> records;
  const auto add = [&](const auto& change) {
    records.push_back(record_of("b"));
    records.back().effort = Effort::patient;
    change(records.back());
  };
  add([](Record& r) { r.origin = Origin::pinned, r.superseded = true, r.protocol = 0; });
  add([](Record& r) { r.effort = Effort::exhaustive, r.partial = r.narrowed = true; });
  add([](Record& r) { r.made_ms = 1; });
  add([](Record& r) { r.uuid = "a"; });
  add([](Record&) {});
  add([](Record& r) { r.narrowed = true; });
  add([](Record& r) { r.partial = true, r.made_ms = 9; });
  add([](Record& r) { r.effort = Effort::measure; });
  add([](Record& r) { r.effort = Effort::estimate; });
  add([](Record& r) { r.origin = Origin::imported, r.effort = Effort::exhaustive; });
  add([](Record& r) { r.protocol = first_present_protocol - 1, r.effort = Effort::exhaustive; });
  add([](Record& r) { r.protocol = first_present_protocol - 1, r.origin = Origin::imported; });
  add([](Record& r) { r.superseded = true, r.effort = Effort::exhaustive; });
  add([](Record& r) { r.superseded = true, r.origin = Origin::imported; });
  return records;
}

TEST(RecordOrder, IsAsItsContractSays) {
  const std::vector<Record> records = in_order();
  for (std::size_t i = 0; i < records.size(); ++i)
    for (std::size_t j = 0; j < records.size(); ++j) {
      EXPECT_EQ(is_stronger(records[i], records[j]), i < j) << i << " " << j;
      EXPECT_LE(strength_of(records[std::max(i, j)]), strength_of(records[std::min(i, j)])) << i << " " << j;
    }
}

// In the order of in_order(): what each one lacks beside the one before it.
TEST(RecordOrder, SaysWhyTheWeakerOneDoesNotServe) {
  const std::vector<Record> records = in_order();
  const char* const whys[] = {"another record is pinned",         "another search had more effort",
                              "another record is newer",          "another record was made at the same time",
                              "its search was narrowed",          "its search was cut short",
                              "another search had more effort",   "another search had more effort",
                              "another record was measured here", "its times do not mean what times mean at present",
                              "another record was measured here", "another configuration beat it in the same rounds",
                              "another record was measured here"};
  ASSERT_EQ(std::size(whys), records.size() - 1);
  for (std::size_t i = 1; i < records.size(); ++i) EXPECT_EQ(why_weaker(records[i], records[i - 1]), whys[i - 1]) << i;
}

TEST(RecordOrder, TakesTheStrongestOfEachKeyInTheOrderOfKeys) {
  std::vector<Record> records = in_order();
  Record other = record_of("other");
  other.key.regime = "warm";
  records.insert(records.begin() + 1, other);
  std::ranges::reverse(records);
  const std::vector<Record> kept = strongest_of_each_key(records);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].origin, Origin::pinned);
  EXPECT_EQ(kept[1].uuid, "other");
}

// Frozen, as the view of applications is. The literal was made by another program from docs/formats/wisdom.md.
TEST(RecordHash, IsTheDocumentedOne) {
  Record record = record_of("11111111-2222-4333-8444-555555555555");
  record.key.code = "cc", record.key.contract = "dd", record.key.device_class = "cuda|x";
  record.device_name = "NVIDIA H200";
  record.compute_capability = 90, record.multiprocessors = 132;
  record.configuration = Configuration{{"BLOCK", 256}, {"FAST", true}, {"SCALE", 0.1}, {"ORDER", "Order::rows"}};
  record.median_ns = 12345.5, record.default_ns = 23456.75;
  record.speedup = 1.875, record.speedup_low = 1.75, record.speedup_high = 2;
  record.narrowed = true;
  record.trials = 321, record.toolchain = "NVRTC 13.0", record.driver = "580.159";
  record.attune_version = "0.1.0", record.protocol = 9, record.made_ms = 1760000000123;
  EXPECT_EQ(record_hash(record), "d1a0a7a73a92fc2c0e315e545a09ad93462a5483a62199a2aad7c20a9b962085");
}

}  // namespace
}  // namespace attune
