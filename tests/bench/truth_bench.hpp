// The truth that sessions are held against: every legal configuration, or some drawn once, sampled many times in
// randomised complete blocks; those near the best more often in further workers, since where a worker has its code and
// data is chance that belongs to none of them, and the best of many that are close is best by luck.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/regime.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "worker/workers.hpp"

namespace attune {

constexpr std::uint64_t truth_seed = 1;
constexpr double near_truth = 1.05;  // of what further workers sample, to the best

// What the truth is measured of, with what, and how deep.
struct TruthBench {
  std::unique_ptr<Workers> workers;
  KernelSpec spec;
  Problem problem;
  int samples = 100, samples_near = 300, workers_more = 3, sessions = 20;
  std::size_t most = 5000;
  Regime regime = Regime::cold;
  std::string samples_to, finals_to;
};

using Ratios = std::map<std::string, double>;  // to the best, by configuration

struct Truth {
  Ratios first;        // in the first worker alone
  Ratios ratio;        // over all workers
  std::string best;    // what the ratios are relative to
  double seconds = 0;  // that the device was timed for, in the first
  double best_ns = 0;  // in the first
};

// One half of the samples chooses the best, the other half says how the others compare to it.
Truth measure_truth(TruthBench& bench);

// What of a configuration's time, relative to others, belongs to where its code and its data lie. Each is one standard
// deviation of medians, the root of its mean square over configurations. An outer one holds what is left of the inner
// ones after their mean.
struct Places {
  std::size_t configurations = 0;  // the best of one worker
  double halves = 0;               // of the rounds of one load
  double loads = 0;                // in one worker, on the same data
  double data = 0;                 // data that one worker has made anew, each mean over loads
  double workers = 0;              // each mean over data
};
// Samples the best so often, in `workers_more` workers.
Places measure_places(TruthBench& bench, std::size_t best);

}  // namespace attune
