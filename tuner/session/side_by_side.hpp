// Side by side: compares any configurations of a kernel, its peers, and a device copy of as many bytes, by interleaved
// samples. It searches nothing and keeps nothing: docs/command_line.md#comparing-configurations.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/regime.hpp"
#include "measure/interleaved.hpp"
#include "session/observer.hpp"
#include "subject/kernel_subject.hpp"
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

// What is compared in one regime. The configurations may differ between regimes, because the records may.
struct SideBySideTask {
  Regime regime = Regime::cold;
  std::vector<NamedConfiguration> configurations;
};

// The times of one step of a configuration. A sample of the first steps up to this one has nothing else between its
// events.
struct StepTimes {
  std::string name;     // the entry, or "memset X"
  double up_to_ns = 0;  // time of the first steps up to this one
  Estimate share;       // of this step in the whole: the median of paired differences
};

struct SideBySideRow {
  std::string name;
  Configuration configuration;  // empty for a peer and for the device copy
  bool is_copy = false, is_peer = false;
  Status status;              // the times have a meaning only if this is ok
  Estimate time_ns, speedup;  // speedup: over the base
  std::vector<StepTimes> steps;
};

struct SideBySide {
  Regime regime = Regime::cold;
  std::vector<SideBySideRow> rows;  // in the order of the request, then the peers, then the copy
  std::string base;                 // the row that speed-ups are relative to; "": no row is ok
  std::size_t rounds = 0;           // 0 if interrupted before the first
  int batch = 1;                    // launches per sample
  std::uint64_t copy_bytes = 0;     // that the copy reads + writes; 0 without a copy
  double half_width = 0;            // the largest that the scatter promises for the interval of a log-ratio
};

struct SideBySideRequest {
  Configuration default_configuration;  // gives the expected results if the kernel has no reference
  std::vector<SideBySideTask> tasks;
  std::vector<NamedPeer> peers;       // in every task. A peer that cannot do the problem gets the verdict `restricted`
  std::string base;                   // the row that speed-ups are relative to; the first that is ok if "" or missing
  bool steps = false;                 // times each step too, except in the regime `stream`
  bool copy = true;                   // compares with a copy too, if the kernel's bytes are known
  Protocol protocol;                  // the warm-up, and the final stage's limits, which end the rounds of each task
  std::filesystem::path lock_folder;  // of the device's lock; "": measures without taking turns
  std::function<void(const SideBySide&)> compared = [](const SideBySide&) {};  // called with each, once known
};

// Compares. Returns the results of all tasks, or those so far once `stop` is not 0. A task without room for its data is
// left out, and the observer is told; if it is the only task, throws OutOfMemory. Throws UsageError for the regime
// `stream` of a kernel that has no stream, and ReferenceDoesNotCompile, OutOfMemory and Error.
std::vector<SideBySide> measure_side_by_side(const SideBySideRequest& request, const KernelSubject& subject, Pool& pool,
                                             Observer& observer, const std::atomic<int>& stop);

}  // namespace attune
