// SessionLog: a session with its trials, for the formats of other tuners. It names no host, user or folder. A plain
// value.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/record.hpp"
#include "core/trial.hpp"

namespace attune {

struct SessionLog {
  RecordKey key;
  std::string effort, strategy, attune_version;
  std::uint64_t seed = 0;
  std::int64_t started_ms = 0;
  std::vector<Trial> trials;  // in the order of trying
};

// Returns the name of a device by its class key; the key where that is none.
std::string device_name_of(const std::string& device_class);
// Returns a value as JSON; names are texts.
nlohmann::ordered_json json_of(const Value& value);
// Returns when the trial had its verdict; the begin of the session where this is not known.
std::int64_t completed_ms(const SessionLog& session, const Trial& trial);
// Returns one line of JSON. Bytes that are not UTF-8 are replaced.
std::string one_line(const nlohmann::ordered_json& document);
// Returns "2026-01-31T12:00:00.250000+00:00", with this between day and time.
std::string iso_time(std::int64_t unix_ms, char between);

}  // namespace attune
