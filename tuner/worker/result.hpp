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
  int deaths = 0;                    // of workers, by its configuration
  int worker = 0;                    // the number of the worker since the problem began, from 1; 0: no device worker
  std::int64_t made_ms = 0;          // when it was made; as core/unix_ms.hpp
  std::optional<InstanceId> failed;  // of Rounds: the instance with a bad status
  double seconds = 0;                // Pool::seconds() at its end
  double lost_seconds = 0;           // by that clock, for failures and their consequences
  Watched watched;                   // since the previous result
  std::vector<std::string> notes;    // for the user
  std::exception_ptr error;          // the environment is at fault: no answer
};

}  // namespace attune
