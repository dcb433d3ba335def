// Side by side: any configurations of a kernel, its peers, and a device copy of as many bytes, are compared by
// interleaved samples. Nothing is searched and nothing is kept: docs/command_line.md#comparing-configurations.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/regime.hpp"
#include "measure/interleaved.hpp"
#include "session/observer.hpp"
#include "worker/pool.hpp"

namespace attune {

struct NamedConfiguration {
  std::string name;  // of its row
  Configuration configuration;
};

// A peer of the kernel, from a library (attune/peer.hpp).
struct NamedPeer {
  std::string name;               // of its row
  std::filesystem::path library;  // absolute
};

// What is compared in one regime: the record may differ between regimes.
struct SideBySideTask {
  Regime regime = Regime::cold;
  std::vector<NamedConfiguration> configurations;
};

// One step of a configuration. A sample of the steps up to here has nothing else between its events.
struct StepTimes {
  std::string name;     // the entry, or "memset X"
  double up_to_ns = 0;  // the first steps up to this one
  Estimate share;       // of this step in the whole: the median of paired differences
};

struct SideBySideRow {
  std::string name;
  Configuration configuration;  // empty: a peer, or the device copy
  bool is_copy = false, is_peer = false;
  Status status;              // its times mean nothing unless this is ok
  Estimate time_ns, speedup;  // the latter over the base
  std::vector<StepTimes> steps;
};

struct SideBySide {
  Regime regime = Regime::cold;
  std::vector<SideBySideRow> rows;  // as they were asked for; then the peers; then the copy
  std::string base;                 // the row over which speed-ups are; "": no row is ok
  std::size_t rounds = 0;           // 0: interrupted before the first
  int batch = 1;                    // launches per sample
  std::uint64_t copy_bytes = 0;     // that the copy reads and writes; 0: there is none
  double half_width = 0;            // that the scatter promises for the interval of a log-ratio: the widest
};

struct SideBySideRequest {
  KernelSpec spec;
  Problem problem;
  Configuration default_configuration;  // gives the expected results of a kernel without a reference
  std::vector<SideBySideTask> tasks;
  std::vector<NamedPeer> peers;  // in every task. One that cannot do the problem is `restricted`
  std::string base;    // the name of the row over which speed-ups are; without it, or "": the first that is ok
  bool steps = false;  // times each step too, outside the regime `stream`
  bool copy = true;    // compares with a copy, for a kernel whose bytes are known
  Protocol protocol;   // warm-up, and the limits of the final stage, which end the rounds of each regime
  std::filesystem::path lock_folder;  // of the device's lock; "": measure without taking turns
  std::function<void(const SideBySide&)> compared = [](const SideBySide&) {};  // called with each, as it is known
};

// Compares. The result has the tasks that were begun before `stop`; it lacks those without room for their data, and
// says so to the observer, unless there is one task. Throws ReferenceDoesNotCompile, OutOfMemory, UsageError for a
// stream of a kernel that has none, Error.
std::vector<SideBySide> measure_side_by_side(const SideBySideRequest& request, Pool& pool, Observer& observer,
                                             const std::atomic<int>& stop);

}  // namespace attune
