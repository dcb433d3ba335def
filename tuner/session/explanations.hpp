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

// Names what was left out, and what tries it again; "" where nothing was.
std::string left_out_explanation(const std::vector<QuarantineEntry>& entries);

// Returns why a kernel that restores its inputs has no regime `stream`, with the next step.
std::string no_stream_explanation(const KernelSpec& spec);

}  // namespace attune
