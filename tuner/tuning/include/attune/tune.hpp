// tune(): a tuning session inside a program (CMake: attune::tuner), as `attune tune` runs it. The dispatcher uses the
// result after Dispatcher::refresh().
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "attune/bindings.hpp"
#include "attune/dispatcher.hpp"
#include "attune/effort.hpp"
#include "attune/ending.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Where configurations are compiled and launched. A configuration may crash, hang or write anywhere.
enum class Isolation {
  processes,  // in worker processes: a bad configuration ends its worker at most
  none        // in this process: a crash ends it, a hang lasts for ever, and a fault may ruin the device's context
};

struct TuneTrial {
  Configuration configuration;
  std::string verdict;   // "ok", "compile_error", "timeout", ...: the words of `attune tune --json`
  std::string detail;    // of a failure: the compiler's log, the fault, the first wrong element
  double median_ns = 0;  // 0: it failed
  bool is_new_best = false;
  std::int64_t trials = 0;  // so far, including known ones
  double default_ns = 0;    // median time of the default configuration; 0: it failed, or is not known yet
  double best_ns = 0;       // median time of the best configuration so far; 0: there is none
  Configuration best;
};

struct TuneRecord {
  Configuration configuration;
  double median_ns = 0, default_ns = 0;                   // of the final comparison; 0: the default failed
  double speedup = 1, speedup_low = 1, speedup_high = 1;  // over the default, with its 95 % interval
};

struct TuneOptions {
  Isolation isolation = Isolation::processes;
  // The program to start for workers, of the same version as this library: `attune-worker`, `attune`, or one whose
  // main() calls worker_main(). "": this program if it has called worker_main() (attune/worker.hpp), else
  // `attune-worker` or `attune`, beside this program or in $PATH, which set-user-id programs ignore.
  std::filesystem::path executable;
  std::optional<double> seconds;         // limit of the search; if longer than the effort's own limit, replaces it
  std::optional<std::int64_t> trials;    // limit of the search
  std::optional<std::int64_t> patience;  // ends the search after so many trials without an improvement by 1 %
  std::string strategy;                  // "NAME:option=value,..."; "": the effort's own
  std::optional<std::uint64_t> seed;     // of the data and of random choices
  bool fresh = false;                    // searches even if the result is known
  // Several devices of the class of `gpu` as one session, in place of the one of `gpu`: "cuda:0,cuda:1", UUIDs, "all".
  std::string devices;
  std::stop_token stop;  // ends the search early; the best so far is kept
  // Listeners, called one at a time on the thread that called tune(), with `devices` on others of tune() too. What one
  // of them throws ends tune(); the trials so far are kept.
  std::function<void(const TuneTrial&)> on_trial;    // after each trial
  std::function<void(const TuneRecord&)> on_record;  // once this session's record is stored; not of one that stands
  std::function<void(const std::string&)> note;      // told of a worker that died, another process on the device, ...
};

struct TuneResult {
  Ending end = Ending::everything_tried;       // time, trials, hopeless, interrupted: the next call goes on
  std::optional<Configuration> configuration;  // the best one; nothing: there is no record
  double median_ns = 0, default_ns = 0;        // medians of the final comparison, nanoseconds; 0: not measured
  double speedup = 1;                          // over the default, median of paired ratios
  std::int64_t trials = 0;                     // of the session, including known ones
  std::string explanation;                     // why there is no record; `estimated`: Match::why
};

// Searches for the best configuration of a kernel for a problem on the device of `gpu`, with the regime and objective
// of `gpu`, and stores it in the database of `gpu`. Blocks for some seconds, or up to the time of the effort. `spec` is
// a kernel file with its reference, or comes from complete(); an embedded kernel in `gpu` does not serve, because it
// lacks reference and data. Absent names of `problem` take their defaults. Times are right only if nothing else uses
// the device meanwhile. Any thread, one call at a time. A program that ignores SIGCHLD cannot use Isolation::processes.
// Throws UsageError for an unknown name or value, and if no program for workers is found. Throws Error for a broken
// environment; the trials so far are kept.
TuneResult tune(Dispatcher& gpu, const KernelSpec& spec, const Problem& problem, Effort effort,
                const TuneOptions& options = {});

// Does the same for a built-in kernel by its name, or for a kernel file by its path (ends in .cu or contains a '/').
TuneResult tune(Dispatcher& gpu, const std::string& kernel, const Problem& problem, Effort effort,
                const TuneOptions& options = {});

}  // namespace attune
