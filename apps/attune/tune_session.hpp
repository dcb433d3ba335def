// One session of `attune tune`, with its output.
#pragma once

#include "db/wisdom_store.hpp"
#include "session/session.hpp"
#include "worker/pool.hpp"

namespace attune::cli {

// Runs a session and shows it. Returns an ExitCode.
int tune_one(const SessionRequest& request, Pool& pool, WisdomStore& store, ImageCache* images, bool json);

// Calibrates a GPU once. The host device has ceilings of its emulation: it is calibrated only on request.
void calibrate_first(const SessionRequest& request, Pool& pool, WisdomStore& store, bool json);

constexpr const char* in_memory = ":memory:";  // a database that nobody keeps

}  // namespace attune::cli
