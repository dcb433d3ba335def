// Protocol: the constants of measuring, stored with every session. Plain values.
#pragma once

#include <string>

namespace attune {

// How deeply a session measures: the constants that an effort sets. These are those of the effort `measure`.
struct Depth {
  int screen_samples = 3;       // of a configuration that the first sample does not end; their median counts
  int confirm_most = 128;       // the best ones; bounds the cost where most of a space is near the best
  double confirm_seconds = 10;  // of the samples of all visits: configurations beyond it are not visited
  int finalists = 8;            // beside the default configuration and the present record
  int final_rounds_min = 30, final_rounds_max = 15000;
  double final_seconds = 15;
  double settled_log_ratio = 0.0025;  // median half-width of the 95 % intervals of finalist / fastest
};

struct Protocol : Depth {
  static constexpr int version = 9;

  // Session.
  double warm_up_ms = 200;            // of default launches before the first timing, so that clocks settle
  double warm_up_most_ms = 2000;      // the most, while the clock still moves
  double settled_clock_ratio = 0.01;  // the clock has settled: its last three readings, 50 ms apart, differ by no more
  int anchor_samples = 5;             // of the default configuration at each timing, at least
  int anchor_samples_most = 100;      // at most, until anchor_error is reached
  double anchor_error = 0.015;        // enough: the relative standard error of the samples' median
  int anchor_every = 16;              // trials between two timings of the anchor, to which scores are relative

  // Batches, in the regime `stream`: a sample is a graph of launches.
  double batch_ns = 1e6;                    // what the launches of one sample last, within the next two bounds
  int batch_least = 50, batch_most = 1000;  // launches
  double batch_most_ns = 20e6;              // fewer than the least, where these would last longer than this

  // Screen: one sample excludes most losers, 83-87 % of the configurations in recorded convolution spaces.
  double reject_ratio = 2.0;  // a first sample slower than the best by more than this factor is the last
  // After the first sample, which also warms caches and the module:
  int screen_samples_most = 24;  // at most, until screen_error is reached
  double screen_error = 0.03;    // enough: the relative standard error of their median

  // Confirm: choosing by screening alone, by 7-sample medians of bursts, lost up to 7.8 % on recorded spaces. Each
  // visit is to the better half of the visit before, so that close configurations get many samples.
  double confirm_ratio = 1.25;     // at most, of a configuration to the best, by screening
  int confirm_samples = 5;         // of each configuration in each visit, at least
  int confirm_samples_most = 100;  // at most, until confirm_error is reached
  double confirm_error = 0.02;     // enough: the relative standard error of their median
  int confirm_group = 4;           // configurations to each sample of the best by screening, taken in turn

  // Final: finalists in randomised complete blocks.
  int look_every = 10;              // rounds between two evaluations, after the least
  int load_again_every = 10;        // rounds between two loads of the finalists, or a quarter of all rounds so far if
                                    // that is more; in a stream 1
  double ahead_seconds = 0.02;      // of rounds sent at once, so that the device hardly waits for the host
  double round_drift = 0.03;        // a round that is off the common level by more than this is dropped
  double dropped_rounds_max = 0.2;  // of all rounds, throttled ones included; above it the record is marked unstable

  // Energy of the finalists, when an objective uses it. The counter moves every 20 to 100 ms, later than the power.
  double energy_warm_seconds = 1;  // of launches of the same kernel, so that no energy of the previous one counts
  double energy_seconds = 5;

  // Decision.
  double tie_ratio = 0.01;         // closer than this is a tie with the present record or the default
  double lean_tie_ratio = 0.0025;  // closer than this is a tie with another configuration, which wins by being leaner
};

// Returns the constants as one JSON object, for the session's row.
std::string to_json(const Protocol& protocol);

}  // namespace attune
