// Removes what a wisdom database knows, in one transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "db/wisdom_store.hpp"

namespace attune {

// What goes: records and sessions of this kernel, or of all if the name is empty, whose keys the filter includes. With
// a session's number, that session alone. A row whose problem cannot be read has a key without problem.
struct Forgetting {
  std::string kernel;
  std::function<bool(const RecordKey&)> includes;
  bool records = true, sessions = true;
  bool pins_alone = false;  // of the records, those that are pinned
  std::optional<std::int64_t> session = {};
};

// How many rows went. `quarantined`: trials that had kept their configurations from being launched again.
struct Forgotten {
  std::int64_t records = 0, sessions = 0, trials = 0, quarantined = 0, covers = 0;
  bool is_nothing() const noexcept { return records == 0 && sessions == 0 && covers == 0; }
};

// Removes records with their finalists, and sessions with their trials and attempts. Where both go, covers go with
// them, unless the filter asks for problems. Kernels, problems and devices that nothing refers to any longer go too.
// Returns what went, or with `is_trial_run` what would go, and then changes nothing. Throws as the store's own
// functions do.
Forgotten forget(WisdomStore& store, const Forgetting& what, bool is_trial_run);

}  // namespace attune
