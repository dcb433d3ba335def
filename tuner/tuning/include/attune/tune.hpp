// tune(): a tuning session inside a program (CMake: attune::tuner), as `attune tune` does it. Afterwards
// Dispatcher::refresh() takes the result up.
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
#include "attune/kernel_spec.hpp"

namespace attune {

// Where configurations are compiled and launched. Some of them may crash, hang or write anywhere.
enum class Isolation {
  processes,  // in worker processes of the program `attune`: a configuration ends its own process at most
  none        // in this process: a crash ends it, a hang is for ever, and a fault may cost the context of the device
};

struct TuneProgress {
  std::int64_t trials = 0;  // so far
  double default_ns = 0;    // median time of the default configuration; 0: it failed, or is not known yet
  double best_ns = 0;       // of the best so far; 0: there is none
  Configuration best;
};

struct TuneOptions {
  Isolation isolation = Isolation::processes;
  // The program to start for workers: `attune` of the same version as this library, or one whose main() calls
  // run_command_line(). "": `attune` of $PATH, which set-user-id programs ignore.
  std::filesystem::path executable;
  std::optional<double> seconds;         // ends the search; a longer time than the effort's own replaces that
  std::optional<std::int64_t> trials;    // ends the search
  std::optional<std::int64_t> patience;  // ends it after so many trials without an improvement by 1 %
  std::string strategy;                  // "NAME:option=value,..."; "": the effort's own
  std::optional<std::uint64_t> seed;     // of the data and of random choices
  bool fresh = false;                    // searches though the result is known
  std::stop_token stop;                  // ends the search early; the best so far is kept
  std::function<void(const TuneProgress&)> progress;  // after each trial, on the thread that called tune()
  std::function<void(const std::string&)> note;       // a worker that died, another process on the device
};

enum class TuneEnd {
  estimated,    // Effort::estimate: what is known, or the default configuration; nothing was measured
  known,        // an earlier session had found it
  finished,     // the effort is spent, or patience ended it
  partial,      // a limit of time or trials came first; the next call goes on
  interrupted,  // it was asked to stop
  no_survivor   // no configuration is legal, compiles and gives the right result
};

struct TuneResult {
  TuneEnd end = TuneEnd::finished;
  std::optional<Configuration> configuration;  // the best one; none: there is no record
  double median_ns = 0, default_ns = 0;        // medians of the final comparison, nanoseconds; 0: not measured
  double speedup = 1;                          // over the default, median of paired ratios
  std::int64_t trials = 0;                     // of the session, known ones included
  std::string explanation;                     // why there is no record; `estimated`: Match::why
};

// Searches the best configuration of a kernel for a problem on the device of `gpu`, with its regime and objective, and
// stores it in its database. Blocks, from some seconds to the time of the effort. `spec`: a kernel file with its
// reference, or complete() in C++; what `gpu` has of an embedded kernel lacks reference and data. Absent names of
// `problem` take their defaults. Times are right where nothing else uses the device meanwhile. Any thread, one call at
// a time. A program that ignores SIGCHLD cannot have Isolation::processes. Throws UsageError for an unknown name or
// value, and where no program for workers is found. Throws Error for a broken environment; the trials so far are kept.
TuneResult tune(Dispatcher& gpu, const KernelSpec& spec, const Problem& problem, Effort effort,
                const TuneOptions& options = {});

// Does so for a built-in kernel by its name, or for a kernel file by its path (ends in .cu or holds a '/').
TuneResult tune(Dispatcher& gpu, const std::string& kernel, const Problem& problem, Effort effort,
                const TuneOptions& options = {});

}  // namespace attune
