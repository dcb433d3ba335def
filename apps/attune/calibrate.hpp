// The ceilings of a device. `attune calibrate` measures them, and `attune tune` does so for a GPU without any.
#pragma once

#include <atomic>
#include <filesystem>

#include "db/wisdom_store.hpp"
#include "session/observer.hpp"
#include "worker/pool.hpp"

namespace attune::cli {

// Calibrates a device whose ceilings the database lacks, and prints a note. Failures are only noted: tuning does
// without ceilings.
void ensure_ceilings(Pool& pool, WisdomStore& store, Observer& observer, const std::filesystem::path& lock_folder,
                     const std::atomic<int>& stop);

}  // namespace attune::cli
