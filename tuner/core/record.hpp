// Record: one best-known configuration, and how, where and with what certainty it was measured. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"
#include "attune/device_info.hpp"
#include "attune/effort.hpp"
#include "core/board_result.hpp"
#include "core/choice.hpp"
#include "core/origin.hpp"
#include "core/verdict.hpp"

namespace attune {

// The first version of the measuring protocol whose times mean what times mean at present. Earlier times are not
// compared with present ones: a record with such times serves only as a stale one, if no other does. Raising this
// number changes strength_of(), and therefore the strengths in the database must be updated.
inline constexpr int first_present_protocol = 9;
constexpr bool is_of_present_meaning(int protocol) { return protocol >= first_present_protocol; }

struct RecordKey {
  std::string kernel;  // name
  std::string code;    // fingerprints
  std::string contract;
  std::string device_class;  // DeviceInfo::class_key()
  Problem problem;           // complete, in the order of [problem]
  std::string regime = "cold";
  std::string objective = "time";
  friend bool operator==(const RecordKey&, const RecordKey&) = default;
};

struct Record {
  std::string uuid;
  RecordKey key;
  std::string device_name;
  int compute_capability = 0;
  int multiprocessors = 0;
  Configuration configuration;
  double median_ns = 0;   // final stage
  double default_ns = 0;  // the default configuration's median in the same final stage
  double speedup = 1;     // default / best of the objective: median of paired ratios of the final stage
  double speedup_low = 1, speedup_high = 1;  // 95 % interval
  Effort effort = Effort::measure;
  bool partial = false;   // the session was cut short
  bool narrowed = false;  // the session searched only a part of the space
  Origin origin = Origin::measured;
  bool superseded = false;  // another record's configuration beat it in the same rounds of a final stage
  bool unstable = false;    // too many rounds had to be dropped
  // The verdict on the kernel's own default configuration in the session. Unless it is ok, default_ns and speedup are
  // not known.
  Verdict default_verdict = Verdict::ok;
  bool self_checked = false;
  std::string space;      // fingerprint
  std::string toolchain;  // "NVRTC 13.0"
  std::string driver;
  std::string device_uuid;  // of several boards, the first
  std::string attune_version;
  int protocol = first_present_protocol;  // version of the measuring protocol: what a time means
  std::uint64_t seed = 0;
  std::int64_t trials = 0;   // tried in the session
  std::int64_t made_ms = 0;  // Unix time, milliseconds
  // 0 where they are not known.
  double min_ns = 0, q1_ns = 0, q3_ns = 0;      // of the rounds that count
  std::int64_t batch = 1;                       // launches per sample
  std::int64_t rounds = 0, rounds_dropped = 0;  // of the final stage: counted; dropped
  double sm_clock_mhz = 0;                      // median while finalists were measured
  double anchor_ratio = 0;                      // default in the final stage / when the session began
  bool busy = false;                            // other processes were on the device meanwhile
  double value = 0, default_value = 0;          // of the objective; for time, the medians
  Choice choice = Choice::fastest;
  bool settled = true;  // the final stage was precise enough, and told apart what looked different
  std::string source;   // what an imported or adopted record came from: "Kernel Tuner"; "" if it was measured here
  std::vector<BoardResult> boards;  // of the final stage, the first is `device_uuid`; empty: that one alone
  bool boards_differ = false;       // which configuration is the best depends on the board
};

// Returns whether the default configuration failed. A default with the verdict `restricted` did not: it is not
// deterministic, and was not tried.
constexpr bool has_default_failed(const Record& record) {
  return record.default_verdict != Verdict::ok && record.default_verdict != Verdict::restricted;
}
// Returns the verdict on a default configuration that failed, such as "resources"; "" if it did not fail. The text is
// zero-terminated and has static storage.
std::string_view default_failure(const Record& record);
// Returns "the default configuration failed (resources)", as a part of a sentence.
std::string say_default_failed(std::string_view failure);

}  // namespace attune
