// Why a session has no result, in words for its user. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// Returns the reasons of the failed trials, with an example of the most frequent.
std::string failures_explanation(const std::map<std::string, Trial>& trials, std::int64_t survivors);

// Returns the next step after a search that stopped because failures are alike.
std::string stopped_explanation();

// Returns what to do about something of the kernel that did not end within so many seconds: "was not compiled".
std::string out_of_time_explanation(const KernelSpec& spec, const std::string& what, const std::string& did,
                                    double seconds);

// Returns what to do about a default that fails where there is no reference.
std::string default_explanation(const Configuration& by_default, const std::string& why);

// Returns whether data that make no sense can give this verdict.
bool is_of_data(Verdict verdict);

// Returns which integer inputs have no `fill`, with the key to set: where the default or the reference faults, all
// values of a type may make no sense. Returns "" where there are none.
std::string unfilled_explanation(const KernelSpec& spec, const Problem& problem);
// Names what was left out, and what tries it again; "" where nothing was.
std::string left_out_explanation(const std::vector<QuarantineEntry>& entries);

// Returns why a kernel that restores its inputs has no regime `stream`, with the next step.
std::string no_stream_explanation(const KernelSpec& spec);

}  // namespace attune
