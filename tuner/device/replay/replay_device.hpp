// The `replay` device: answers from a recording in place of a GPU. Nothing is compiled or launched; a configuration
// fails or takes its time as it was recorded, and seconds() moves by what trying it took then. Sessions run on it
// unchanged, in milliseconds, and with one seed twice the same. One thread, but for the compiler.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "space/recording.hpp"
#include "device/device.hpp"
#include "device/replay/disturbance.hpp"

namespace attune {

struct ReplayOptions {
  bool noise = false;  // samples are drawn from the recorded ones; without it they are given in turn
  std::uint64_t seed = 0;
  // What a device adds to recorded times; nothing: they are given as they are.
  std::optional<DisturbanceModel> disturbance{};
};

// Its clock begins at 0. The first load of a configuration takes what compiling, framework, search and validation took;
// every launch takes a recorded time: of a sample that sample's, else the median. Of an image that failed to compile or
// to load, load() says so (on the caller's thread, where the clock moves); of other failures enqueue(). Throws
// UsageError when two configurations read alike as a kernel's entry. It has no memory: what asks for some throws Error.
std::unique_ptr<Device> make_replay_device(Recording recording, ReplayOptions options = {});

// A kernel without arguments whose search space is what was recorded, for sessions on that device.
KernelSpec replay_kernel(const Recording& recording);

}  // namespace attune
