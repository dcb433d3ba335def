// Explanations, for the user, of why a session has no result. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// Returns why trials failed, with an example of the most frequent reason.
std::string failures_explanation(std::span<const Trial* const> trials, std::int64_t survivors);

// Returns what to do after a search that stopped because nearly all trials failed alike.
std::string stopped_explanation();

// Returns what to do about a part `what` of the kernel that did not end within `seconds`; `did` is "was not compiled",
// for example.
std::string out_of_time_explanation(const std::string& kernel, const std::string& what, const std::string& did,
                                    double seconds);

// Returns what to do about a default configuration that fails in a kernel without a reference.
std::string default_explanation(const Configuration& by_default, const std::string& why);

// Returns whether data that make no sense can cause this verdict.
bool is_of_data(Verdict verdict);

// Returns which configurations were left out, and what tries them again; "" if none was.
std::string left_out_explanation(const std::vector<QuarantineEntry>& entries);

// Returns why a kernel that restores its inputs has no regime `stream`, with the next step.
std::string no_stream_explanation(const std::string& kernel);

}  // namespace attune
