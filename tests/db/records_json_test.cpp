#include "exports/records_json.hpp"

#include <nlohmann/json.hpp>

#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

TEST(RecordsJson, HaveAllFieldsInTheirOrder) {
  Record record = test::sample_record(4096);
  record.uuid = "u", record.key.code = "cc", record.key.contract = "dd", record.space = "ee";
  record.configuration.set("WHOLE", 2.0);
  record.configuration.set("NUMBER", "2");
  record.device_name = "GPU";
  const ordered_json object = to_json(record);
  const auto expected = ordered_json::parse(R"json({
    "kernel": "reduce", "code": "cc", "contract": "dd",
    "device_class": "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-", "problem": {"n": 4096, "T": "float"},
    "uuid": "u", "regime": "cold", "objective": "time", "device_name": "GPU", "compute_capability": 90,
    "multiprocessors": 132,
    "configuration": {"BLOCK": 256, "FAST": true, "SCALE": 0.1, "ORDER": "Order::rows", "WHOLE": 2.0, "NUMBER": "2"},
    "median_ns": 12345.678901234567, "default_ns": 23456.7, "speedup": 1.9, "speedup_low": 1.9, "speedup_high": 1.91,
    "effort": "measure", "partial": false, "narrowed": false, "origin": "measured", "superseded": false,
    "unstable": false, "default_verdict": "ok", "self_checked": true, "trials": 321, "toolchain": "NVRTC 13.0",
    "driver": "580.159 (CUDA 13.0)", "attune_version": "0.1.0", "protocol": 9, "made_ms": 1760000000123,
    "space": "ee", "seed": 18364758544493064720, "device_uuid": "GPU-1234", "min_ns": 12000.5, "q1_ns": 12300.1,
    "q3_ns": 12400.9, "batch": 60, "rounds": 40, "rounds_dropped": 2, "sm_clock_mhz": 1980.0, "anchor_ratio": 1.01,
    "busy": true, "value": 0.125, "default_value": 0.25, "choice": "leaner", "settled": false, "source": "",
    "boards": [{"uuid": "GPU-1234", "rounds": 24, "median_ns": 12345.5, "speedup": 1.875},
               {"uuid": "GPU-5678", "rounds": 16, "median_ns": 12400.25, "speedup": 1.75}],
    "boards_differ": true})json");
  EXPECT_EQ(object.dump(2), expected.dump(2));
}

TEST(RecordsJson, OfFinalistsLackWhatIsNotKnownAndTheSamples) {
  FinalistResult finalist;
  finalist.configuration = {{"BLOCK", 256}};
  finalist.measurement = {{12.5, 13.5}, 12.5, 12.75, 13, 13.25};
  finalist.objective_values = {13};
  finalist.pareto = true;
  finalist.energy_j = 0.25;
  const auto expected = ordered_json::parse(R"json({
    "configuration": {"BLOCK": 256}, "min_ns": 12.5, "q1_ns": 12.75, "median_ns": 13.0, "q3_ns": 13.25,
    "objectives": [13.0], "pareto": true, "energy_j": 0.25, "energy_error": 0.0, "max_error": 0.0,
    "max_relative": 0.0, "max_share": 0.0, "max_ulp": 0, "registers": 0, "shared_bytes": 0})json");
  EXPECT_EQ(to_json(finalist).dump(2), expected.dump(2));
}

TEST(RecordsJson, ReplaceBytesThatAreNotUtf8) {
  Record record = test::sample_record();
  record.device_name = "GPU \xff";
  EXPECT_THAT(records_to_json({record}), HasSubstr(R"("device_name": "GPU \ufffd")"));
}

TEST(RecordsJson, AreListedInTheirOrder) {
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
