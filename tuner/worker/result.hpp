// Result: the outcome of a job. A plain value.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "worker/jobs.hpp"

namespace attune {

// The number of a device worker among those of a Pool, from 0.
using LaneId = std::size_t;

// The lane of images that are compiled.
inline constexpr LaneId compile_lane = ~LaneId{0};

// Names a job of a Pool, and the lane that does it.
struct Ticket {
  LaneId lane = 0;
  std::uint64_t number = 0;
  auto operator<=>(const Ticket&) const = default;
};

struct Result {
  Ticket ticket;
  Answer answer;
  int attempt = 1;                   // the number of the attempt that gave the answer
  int deaths = 0;                    // how many workers died by its configuration
  int worker = 0;                    // the number of the worker since the problem began, from 1; 0: no device worker
  std::int64_t made_ms = 0;          // when the result was made, by unix_ms()
  std::optional<InstanceId> failed;  // of Rounds: the instance with a bad status
  double seconds = 0;                // Pool::seconds() at the end of the job
  double lost_seconds = 0;           // the time by that clock that failures and their consequences took
  DeviceReadings watched;            // the observations of the device since the previous result
  std::vector<std::string> notes;    // for the user
  std::exception_ptr error;          // set if the environment is at fault, for this job or one before it in the lane:
                                     // then there is no answer
};

// Returns whether the environment failed a job.
inline bool fails(const Result& result) { return result.error || std::holds_alternative<Failure>(result.answer); }

}  // namespace attune
