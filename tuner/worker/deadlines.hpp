// Deadlines: the time limits of a device worker's jobs. A plain value.
#pragma once

#include <optional>

#include "base/user_limits.hpp"
#include "worker/jobs.hpp"

namespace attune {

// A launch may take least_seconds, or `factor` times the anchor's launch if that is longer. Without an anchor it may
// take first_seconds; the user's limit replaces all. The time of Begin for data and comparisons comes on top.
struct Deadlines {
  std::optional<double> user_seconds = launch_limit_seconds();
  double begin_seconds = 0;   // of Begin
  double anchor_seconds = 0;  // of one launch of the anchor; 0: none is known
  bool on_host = false;       // the device is this machine's processors

  static constexpr double first_seconds = 60;
  static constexpr double least_seconds = 2;
  static constexpr double factor = 50;
  // Data, [[prepare]] and [[reference]]: a reference may be the simplest possible kernel.
  static constexpr double most_begin_seconds = 900;
  static constexpr double open_seconds = 120;  // a driver may need long to wake a device
  static constexpr double take_seconds = 10;   // until a worker that is open begins a job that it has
  // A check also resets and compares data, as Begin did: so many times as long, and a second.
  static constexpr double data_factor = 3, data_seconds = 1;
  static constexpr double keep_seconds = 4;  // to look at the guards and to keep the expected results
  // What a sample costs beside its launches: a flush of the caches, restored inputs.
  static constexpr double beside_sample_seconds = 0.01;
  static constexpr double meter_slack_seconds = 1;  // the counter's last step, and the launches under way then

  // Returns the seconds from the worker's beginning of the job; of Begin, for the data.
  double of(const Job& job) const;
  // The same, with what counts of them: work of this machine's processors is not late while it waits for one. Launches
  // on another device are late by the clock, and so is what a user's limit is for.
  TimeLimit limit(const Job& job) const;
  // The same for the reference of Begin. The default in its place is a launch like any other.
  TimeLimit limit_of_reference(const Job& job) const;

 private:
  double launches(int count) const;
  double checks(int count) const;
  double of_job(const Load& job) const;
  double of_job(const Try& job) const;
  double of_job(const Rounds& job) const;
  double of_job(const CheckAgain& job) const;
  double of_job(const Meter& job) const;
  double of_job(const Begin&) const { return most_begin_seconds; }
  template <typename Other>
  double of_job(const Other&) const {
    return open_seconds;
  }
};

}  // namespace attune
