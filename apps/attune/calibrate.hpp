// The ceilings of a device: measured by `attune calibrate`, and by `attune tune` where a GPU has none yet.
#pragma once

#include <atomic>

#include "db/wisdom_store.hpp"
#include "session/observer.hpp"
#include "worker/pool.hpp"

namespace attune::cli {

// Calibrates a device whose ceilings the database does not hold, and notes that it does. What goes wrong is noted too,
// and no more: tuning does without.
void ensure_ceilings(Pool& pool, WisdomStore& store, Observer& observer, const std::atomic<int>& stop);

}  // namespace attune::cli
