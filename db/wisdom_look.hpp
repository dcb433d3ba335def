// What those who look ask of a WisdomStore: what its trials come to, without reading all, and records that do not
// serve. Each function throws as the store's own functions do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// How many trials of a session have a verdict, and the first of them.
struct VerdictTally {
  std::int64_t count = 0;
  Trial example;
};

// Returns a tally for each verdict of a session's trials, the most frequent first.
std::vector<VerdictTally> verdict_tallies(WisdomStore& store, std::int64_t session);
// Returns the trials of a session with the verdict ok, the fastest first, at most `most` of them.
std::vector<Trial> best_trials(WisdomStore& store, std::int64_t session, std::size_t most);
// Returns the newest trial of a configuration in the sessions of a key, of any search space, whose times have the
// present meaning; nothing if there is none.
std::optional<Trial> newest_trial(WisdomStore& store, const RecordKey& key, const Configuration& configuration);

// Returns all sound records of a kernel's name, and those of its code and contract under other names, the newest first.
std::vector<Record> all_records(WisdomStore& store, const RecordKey& of_kernel);

// Returns the class keys of all devices, ordered.
std::vector<std::string> device_classes(WisdomStore& store);

}  // namespace attune
