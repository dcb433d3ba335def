// A session as a journal of Optuna: docs/formats/tuners.md. Pure.
#pragma once

#include <string>

#include "exports/session_log.hpp"

namespace attune {

// Returns what Optuna's JournalFileBackend reads: one study, with a line for each trial. Equal input gives equal text.
std::string optuna_journal(const SessionLog& session);

}  // namespace attune
