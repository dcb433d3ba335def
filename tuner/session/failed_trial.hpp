// Fills in trials that fail, so that the same is known of each, whatever makes it fail.
#pragma once

#include "core/trial.hpp"
#include "subject/instance.hpp"
#include "worker/result.hpp"

namespace attune {

// Sets what is known of a trial before a launch. `image` is null if there is none.
void describe(Trial& trial, const Instance& instance, const Image* image, bool self_checked);

// Adds what a job found: attempts, deaths, differences, and which worker gave the verdict and when.
void add_result(Trial& trial, const Result& result);

// Returns the trial with its failure and without a measurement; all else that is known stays. `result` is that of the
// job that failed, if one did.
Trial failed_trial(Trial trial, const Status& status, const Result& result = {});

}  // namespace attune
