#include "db/exchange_json.hpp"

#include <nlohmann/json.hpp>

#include "db/value_json.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr int format_version = 1;

ordered_json record_json(const Record& record) {
  const RecordKey& key = record.key;
  return {
      {"uuid", record.uuid},
      {"kernel", key.kernel},
      {"code", key.code},
      {"contract", key.contract},
      {"space", record.space},
      {"device",
       {{"class", key.device_class},
        {"name", record.device_name},
        {"compute_capability", record.compute_capability},
        {"multiprocessors", record.multiprocessors},
        {"uuid", record.device_uuid},
        {"driver", record.driver}}},
      {"problem", plain_json(key.problem)},
      {"regime", key.regime},
      {"objective", key.objective},
      {"configuration", plain_json(record.configuration)},
      {"median_ns", record.median_ns},
      {"default_ns", record.default_ns},
      {"speedup", record.speedup},
      {"speedup_low", record.speedup_low},
      {"speedup_high", record.speedup_high},
      {"effort", to_text(record.effort)},
      {"partial", record.partial},
      {"unstable", record.unstable},
      {"self_checked", record.self_checked},
      {"trials", record.trials},
      {"seed", record.seed},
      {"protocol", record.protocol},
      {"toolchain", record.toolchain},
      {"attune_version", record.attune_version},
      {"made_ms", record.made_ms},
      {"min_ns", record.min_ns},
      {"q1_ns", record.q1_ns},
      {"q3_ns", record.q3_ns},
      {"batch", record.batch},
      {"rounds", record.rounds},
      {"rounds_dropped", record.rounds_dropped},
      {"sm_clock_mhz", record.sm_clock_mhz},
      {"anchor_ratio", record.anchor_ratio},
      {"busy", record.busy},
      {"value", record.value},
      {"default_value", record.default_value},
  };
}

// A device or driver may call itself anything: bytes that are not UTF-8 are replaced, not fatal.
std::string dump(const ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string records_to_json(const std::vector<Record>& records) {
  ordered_json list = ordered_json::array();
  for (const Record& record : records) list.push_back(record_json(record));
  const ordered_json document = {
      {"format", "attune-wisdom"}, {"version", format_version}, {"records", std::move(list)}};
  return dump(document, 2) + "\n";
}

std::string record_to_json_line(const Record& record) { return dump(record_json(record), -1); }

}  // namespace attune
