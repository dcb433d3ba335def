// Protocol: the constants of measuring, stored with every session. A plain value.
#pragma once

#include <string>

namespace attune {

struct Protocol {
  static constexpr int version = 9;

  // Session.
  double warm_up_ms = 200;            // of default launches before the first timing: clocks settle
  double warm_up_most_ms = 2000;      // the limit while the clock still moves
  double settled_clock_ratio = 0.01;  // between the last three readings of the clock, 50 ms apart
  int anchor_samples = 5;             // of the default configuration, each time, at least
  int anchor_samples_most = 100;      // where its median's standard error would be more than
  double anchor_error = 0.015;        // this
  int anchor_every = 16;              // trials between two timings of the anchor; scores are relative to it

  // Batches, in the regime `stream`: a sample is a graph of launches.
  double batch_ns = 1e6;  // as many as last so long,
  int batch_least = 50, batch_most = 1000;
  double batch_most_ns = 20e6;  // fewer where the least would last longer than this

  // Screen: one sample excludes most losers; on recorded convolution spaces 83-87 % of configurations.
  double reject_ratio = 2.0;     // a first sample over this many times the best is the last
  int screen_samples = 3;        // after the first, which also warms caches and the module; their median counts
  int screen_samples_most = 24;  // where its standard error would be more than
  double screen_error = 0.03;    // this

  // Confirm: by screening alone, 7-sample medians of bursts lost up to 7.8 % on recorded spaces. Each visit is to the
  // better half of the one before: close configurations get many samples.
  int confirm_most = 128;          // of the best: where most of a space is near the best, this bounds the cost
  double confirm_ratio = 1.25;     // to the best, by screening
  int confirm_samples = 5;         // of each configuration in each visit, at least
  int confirm_samples_most = 100;  // where their median's standard error would be more than
  double confirm_error = 0.02;     // this
  int confirm_group = 4;           // configurations for each sample of the best by screening, in turn
  double confirm_seconds = 10;     // configurations beyond this time are not visited

  // Final: finalists in randomised complete blocks.
  int finalists = 8;  // beside the default configuration and the present record
  int final_rounds_min = 30;
  int final_rounds_max = 15000;
  int look_every = 10;          // rounds between two evaluations, after the least
  int load_again_every = 10;    // rounds between two loads of the finalists; later a quarter of all rounds so far;
                                // in a stream 1
  double ahead_seconds = 0.02;  // of rounds that are sent at once: the device hardly waits for the host
  double final_seconds = 15;
  double settled_log_ratio = 0.0025;  // half-width of the 95 % interval of a finalist / the fastest, the median one
  double round_drift = 0.03;          // a round that is off the common level by more is dropped
  double dropped_rounds_max = 0.2;    // of all rounds, throttled ones too; more: the record is marked unstable

  // Energy, of finalists, when an objective uses it. The counter moves every 20 to 100 ms, after the power.
  double energy_warm_seconds = 1;  // of the same kernel, so that no energy of the previous one counts
  double energy_seconds = 5;

  // Decision.
  double tie_ratio = 0.01;         // less than this apart is a tie with the present record or the default
  double lean_tie_ratio = 0.0025;  // with another configuration, which wins it by being leaner
};

// Returns the constants as one JSON object, for the session's row.
std::string to_json(const Protocol& protocol);

}  // namespace attune
