// Result: what became of a job. A plain value.
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
  int deaths = 0;                    // of workers, by this job
  std::optional<InstanceId> failed;  // of Rounds: the instance that a bad status is of
  double seconds = 0;                // Pool::seconds() when it was done
  double lost_seconds = 0;           // by that clock, for failures and what they made necessary
  Watched watched;                   // since the result before
  std::vector<std::string> notes;    // what a user should know
  std::exception_ptr error;          // the environment is at fault; then there is no answer
};

}  // namespace attune
