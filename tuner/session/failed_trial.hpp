// Trials that fail: whatever fails them, the same is known of each.
#pragma once

#include "core/trial.hpp"
#include "kernel/instance.hpp"
#include "worker/result.hpp"

namespace attune {

// Sets what is known of a trial before a launch. `image`: null where there is none.
void describe(Trial& trial, const Instance& instance, const Image* image, bool self_checked);

// Adds what a job found: attempts, deaths and differences, and which worker gave the verdict when.
void add_result(Trial& trial, const Result& result);

// Returns the trial with its failure. It has no measurement; what else is known stays. `result`: of the job that failed
// it, if one did.
Trial failed_trial(Trial trial, const Status& status, const Result& result = {});

}  // namespace attune
