// Advice: what the trials of one session say about a kernel. Each piece names its threshold and its evidence; without
// evidence there is none. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advice/importance.hpp"
#include "attune/device_info.hpp"
#include "core/ceiling.hpp"
#include "core/trial.hpp"
#include "kernel/roofline.hpp"

namespace attune {

struct Advice {
  std::string about;      // "limiter", "spills", "tail", "blocks", "in flight", "occupancy", "bank stride", ...
  std::string text;       // what is so, and what follows
  std::string threshold;  // from when on it is said
  std::string evidence;   // the figures
  friend bool operator==(const Advice&, const Advice&) = default;
};

struct AdviceFacts {
  DeviceInfo device;
  bool has_verify_steps = false;           // whose resources a trial may have stored instead of its launch step's
  std::span<const Trial> trials;           // of the session
  const Trial* best = nullptr;             // ok: the one that the advice is about
  std::span<const Ceiling> ceilings;       // of the device; empty: not calibrated
  std::optional<Bound> bound;              // of the best time
  std::optional<double> bytes;             // that the best configuration moves, by [metrics]
  std::string memory;                      // the ceiling for these bytes: "copy" or "read"
  const Importance* importance = nullptr;  // of the parameters, in these trials
};

// Returns the advice in a fixed order. Returns none without a best trial, and of a device that is no GPU only what the
// parameters explain.
std::vector<Advice> advice_on(const AdviceFacts& facts);

}  // namespace attune
