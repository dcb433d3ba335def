// What a worker says is not believed where it cannot be. Pure.
#pragma once

#include "worker/jobs.hpp"

namespace attune {

// Whether a duration is one that a clock can show.
bool is_time(double nanoseconds);

// Replaces times, sample counts and energies that cannot be by a verdict. Throws Error for an answer to another job.
void check_answer(const Job& job, Answer& answer);

}  // namespace attune
