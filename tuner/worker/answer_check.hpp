// Checks the answers of workers, which a kernel may have damaged. Pure.
#pragma once

#include "worker/jobs.hpp"

namespace attune {

// Returns whether a clock can show this duration.
bool is_time(double nanoseconds);

// Replaces impossible times, sample counts and energies by a verdict. Throws Error for an answer of a kind that the job
// does not ask for.
void check_answer(const Job& job, Answer& answer);

}  // namespace attune
