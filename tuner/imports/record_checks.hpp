// Checks what comes from files of others before it is stored: values and figures only. Names and texts are short and on
// one line, numbers finite and in their ranges. Pure; any thread.
#pragma once

#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// Throw UsageError naming the field, what it holds, and what was expected.
void check_record(const Record& record);
void check_session(const SessionRow& session);
// Checks names and values of a configuration.
void check_configuration(const Configuration& configuration);

}  // namespace attune
