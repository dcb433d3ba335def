// Protocol: the constants of measuring, stored with every session. Version 1. A plain value.
#pragma once

#include <string>

namespace attune {

struct Protocol {
  static constexpr int version = 1;

  // Session.
  double warm_up_ms = 200;  // of default launches before anything is timed: clocks settle
  int anchor_samples = 5;   // of the default configuration, each time
  int anchor_every = 16;    // trials between two timings of the anchor; scores are relative to it

  // Screen: one sample shows most losers; on recorded convolution spaces 83-87 % of configurations fall here.
  double reject_ratio = 2.0;        // first sample over this many times the incumbent: no more samples
  double reject_ratio_short = 4.0;  // the same for kernels under short_ns, where one sample scatters more
  double short_ns = 50e3;
  int screen_samples = 3;  // after the first, which also warms caches and the module; their median counts

  // Final: finalists in randomised complete blocks.
  int finalists = 8;  // beside the default configuration and the present record
  int final_rounds_min = 30;
  int final_rounds_max = 200;
  double final_seconds = 10;
  double settled_log_ratio = 0.005;  // half-width of the 95 % interval of leader / runner-up
  double anchor_drift = 0.03;        // a round whose anchor is off its median by more is dropped
  double dropped_rounds_max = 0.2;   // of all rounds; more: the record is marked unstable

  // Decision.
  double tie_ratio = 0.01;  // less than this apart is a tie
};

// Its constants as one JSON object: what a session row keeps.
std::string to_json(const Protocol& protocol);

}  // namespace attune
