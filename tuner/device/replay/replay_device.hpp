// The `replay` device: answers from a recording in place of a GPU. It compiles and launches nothing. A configuration
// fails or takes its time as recorded, and seconds() advances by the recorded cost of its trial. Sessions run on it
// unchanged, in milliseconds; equal seeds give equal sessions. Used by one thread, except for the compiler, which any
// thread may use.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "device/device.hpp"
#include "device/replay/disturbance.hpp"
#include "space/recording.hpp"

namespace attune {

struct ReplayOptions {
  bool noise = false;  // samples are drawn at random; without it they come in the recorded order
  std::uint64_t seed = 0;
  // Effects added to recorded times; nothing: times stay as recorded.
  std::optional<DisturbanceModel> disturbance{};
};

// Makes a replay device, whose clock begins at 0. The first load of a configuration takes the recorded times of
// compiling, framework, search and validation. A sample takes the time of a recorded sample, or the median if none is
// recorded; any other launch takes the median. load() reports images that failed to compile or to load, on the caller's
// thread, where the clock advances. Other failures come from enqueue(). Throws UsageError when two configurations have
// the same entry expression. The device has no memory: allocate() throws Error.
std::unique_ptr<Device> make_replay_device(Recording recording, ReplayOptions options = {});

// Returns a kernel without arguments whose search space is the recording, for sessions on that device.
KernelSpec replay_kernel(const Recording& recording);

}  // namespace attune
