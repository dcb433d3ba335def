// One session of `attune tune`, with its output.
#pragma once

#include "db/wisdom_store.hpp"
#include "options.hpp"
#include "session/kernel_session.hpp"
#include "worker/pool.hpp"

namespace attune::cli {

// How a session is shown: as text, as text with whole configurations, or as JSON lines.
enum class SessionView { text, verbose, json };
// Returns what --verbose and --json ask for.
SessionView view_of(const Options& options);

// Runs a session for the subject that the request makes on the pool's device, and shows it. Returns an ExitCode.
int tune_one(const KernelRequest& request, const Subject& subject, Pool& pool, WisdomStore& store, ImageCache* images,
             SessionView view);

// Returns the ExitCode of a session that ended so.
int exit_code(Ending end);

// Calibrates a GPU once. The host device has ceilings of its emulation: it is calibrated only on request.
void calibrate_first(const KernelRequest& request, Pool& pool, WisdomStore& store, bool json);

constexpr const char* in_memory = ":memory:";  // a database that nobody keeps

}  // namespace attune::cli
