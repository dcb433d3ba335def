// tune() and find() for callables of a program (CMake: attune::tuner; docs/callables.md).
#pragma once

#include <filesystem>

#include "attune/match.hpp"
#include "attune/tunable.hpp"
#include "attune/tune.hpp"

namespace attune {

struct TuneCallableOptions : TuneOptions {
  std::filesystem::path database;  // "": the one that `attune` uses too
};

// Searches for the best configuration of a tunable for a problem, and stores it. Absent names of `problem` have the
// values of Tunable::problem. The work runs in further processes of this program, whose main() has called worker_main()
// with this tunable; or in this process by Isolation::none. Times are in the regime `warm`: each call on the same data.
// All else is as for kernels (attune/tune.hpp): stages, limits, listeners, stop, and the next call goes on. TuneOptions
// `devices` and `executable` are of kernels alone. Throws UsageError for what is wrong with the tunable or the request,
// and Error for a broken environment.
TuneResult tune(const Tunable& tunable, const Problem& problem = {}, Effort effort = Effort::measure,
                const TuneCallableOptions& options = {});

// Does the same with `work` in place of Tunable::make, for Tunable::problem and in this process: a crash ends it.
TuneResult tune(Tunable tunable, Work work, Effort effort = Effort::measure, TuneCallableOptions options = {});

// Returns what is known for a problem: the configuration, how well it fits and why. Where nothing is known, that is the
// default on the rung `none`. Reads the sources that a Dispatcher reads. Throws UsageError as tune() does, and Error
// where no configuration is legal.
Match find(const Tunable& tunable, const Problem& problem = {}, const std::filesystem::path& database = {});

}  // namespace attune
