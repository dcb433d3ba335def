// Result: the outcome of a job. A plain value.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "worker/jobs.hpp"

namespace attune {

using Ticket = std::uint64_t;

struct Result {
  Ticket ticket = 0;
  Answer answer;
  int attempt = 1;                   // the number of the attempt that gave the answer
  int deaths = 0;                    // how many workers died by its configuration
  int worker = 0;                    // the number of the worker since the problem began, from 1; 0: no device worker
  std::int64_t made_ms = 0;          // when the result was made, by unix_ms()
  std::optional<InstanceId> failed;  // of Rounds: the instance with a bad status
  double seconds = 0;                // Pool::seconds() at the end of the job
  double lost_seconds = 0;           // the time by that clock that failures and their consequences took
  Watched watched;                   // the observations of the device since the previous result
  std::vector<std::string> notes;    // for the user
  std::exception_ptr error;          // set if the environment is at fault: then there is no answer
};

}  // namespace attune
