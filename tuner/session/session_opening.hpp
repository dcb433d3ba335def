// How a session begins: with what the database knows already, as a session that goes on, or as a new one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/session_terms.hpp"
#include "session/start_warm.hpp"
#include "session/trial_log.hpp"

namespace attune {

// Returns what is quarantined, and what else this session left out.
std::vector<QuarantineEntry> left_out(const RecordKey& key, std::optional<std::int64_t> session, WisdomStore& store);

// Returns what is known already, if it answers the request.
std::optional<SessionResult> answer_from_database(const SessionRequest& request, const SessionKey& key,
                                                  const std::optional<Record>& present, WisdomStore& store);

// Returns the session that goes on, or a new one. A session that finished with a record goes on if something has a
// second chance, or if the request is a part of it.
SessionRow open_session(const SessionTerms& terms, bool has_record, const std::string& toolchain, WisdomStore& store);

// Returns the event by which an observer learns that the session begins.
SessionStart start_of(const SessionTerms& terms, const SessionRow& row, const TrialLog& log,
                      const WarmStartCounts& warm, const std::string& toolchain, bool self_checked);

}  // namespace attune
