// Deadlines: the time limits of a device worker's jobs. A plain value.
#pragma once

#include <optional>

#include "base/process_deadline.hpp"
#include "base/user_limits.hpp"
#include "worker/jobs.hpp"

namespace attune {

// A launch may take least_seconds, or `factor` times the anchor's launch if that is longer. Without an anchor it may
// take first_seconds. The user's limit replaces all of these. Data and comparisons get additional time, in proportion
// to the time that Begin took.
struct Deadlines {
  std::optional<double> user_seconds = launch_limit_seconds();
  double begin_seconds = 0;   // the time that Begin took
  double anchor_seconds = 0;  // the time of one launch of the anchor; 0: not known
  bool on_host = false;       // the device is this machine's processors

  static constexpr double first_seconds = 60;
  static constexpr double least_seconds = 2;
  static constexpr double factor = 50;
  // For data, [[prepare]] and [[reference]]. It is long because a reference may be the simplest possible kernel.
  static constexpr double most_begin_seconds = 900;
  static constexpr double open_seconds = 120;  // a driver may need long to wake a device
  static constexpr double take_seconds = 10;   // until an open worker begins a job that it has, after the job before
  // A check also resets and compares data, as Begin did. It may take data_factor times as long as Begin, and
  // data_seconds.
  static constexpr double data_factor = 3, data_seconds = 1;
  static constexpr double keep_seconds = 4;  // to check the guards and to keep the expected results
  // For what a sample costs besides its launches: a flush of the caches, restored inputs.
  static constexpr double beside_sample_seconds = 0.01;
  static constexpr double meter_slack_seconds = 1;  // for the counter's last step, and the launches under way by then

  // Returns how many seconds a job may take from when the worker begins it. For Begin, this is the time until the
  // reference begins.
  double of(const Job& job) const;
  // Returns the same with the clock that counts. Work of this machine's processors is not late while it waits for a
  // processor. Launches on another device, and launches with a user's limit, are late by real time.
  TimeLimit limit(const Job& job) const;
  // Returns the limit for the reference of Begin. The default configuration in its place has the limit of any launch.
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
