#include "db/exchange_json.hpp"

#include <nlohmann/json.hpp>

#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

TEST(ExchangeJson, WritesOneRecordWithAllItsFieldsOnOneLine) {
  Record record = test::sample_record(4096);
  record.uuid = "u", record.key.code = "cc", record.key.contract = "dd", record.space = "ee";
  record.configuration.set("WHOLE", 2.0);
  record.configuration.set("NUMBER", "2");
  record.device_name = "GPU \xff";
  const std::string line = record_to_json_line(record);
  const auto expected = ordered_json::parse(R"json({
    "uuid": "u", "kernel": "reduce", "code": "cc", "contract": "dd", "space": "ee",
    "device": {"class": "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-", "name": "GPU \ufffd",
               "compute_capability": 90, "multiprocessors": 132, "uuid": "GPU-1234", "driver": "580.159 (CUDA 13.0)"},
    "problem": {"n": 4096, "T": "float"}, "regime": "cold", "objective": "time",
    "configuration": {"BLOCK": 256, "FAST": true, "SCALE": 0.1, "ORDER": "Order::rows", "WHOLE": 2.0, "NUMBER": "2"},
    "median_ns": 12345.678901234567, "default_ns": 23456.7, "speedup": 1.9, "speedup_low": 1.9, "speedup_high": 1.91,
    "effort": "measure", "partial": false, "unstable": false, "self_checked": true, "trials": 321,
    "seed": 18364758544493064720, "protocol": 8, "toolchain": "NVRTC 13.0", "attune_version": "0.1.0",
    "made_ms": 1760000000123, "min_ns": 12000.5, "q1_ns": 12300.1, "q3_ns": 12400.9, "batch": 60, "rounds": 40,
    "rounds_dropped": 2, "sm_clock_mhz": 1980.0, "anchor_ratio": 1.01, "busy": true, "value": 0.125,
    "default_value": 0.25})json");
  EXPECT_EQ(ordered_json::parse(line).dump(2), expected.dump(2));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

TEST(ExchangeJson, ListsRecordsInTheirOrder) {
  const std::string text = records_to_json({test::sample_record(2), test::sample_record(1)});
  EXPECT_THAT(text,
              AllOf(testing::StartsWith("{\n  \"format\": \"attune-wisdom\",\n  \"version\": 1,\n  \"records\": [\n"),
                    testing::EndsWith("}\n")));
  const auto json = ordered_json::parse(text);
  ASSERT_EQ(json["records"].size(), 2u);
  EXPECT_EQ(json["records"][0]["problem"]["n"], 2);
  EXPECT_EQ(json["records"][1]["problem"]["n"], 1);
  EXPECT_EQ(ordered_json::parse(records_to_json({}))["records"], ordered_json::array());
}

}  // namespace
}  // namespace attune
