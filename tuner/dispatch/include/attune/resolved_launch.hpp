// ResolvedLaunch: the steps of a plan for these very arguments, as the driver takes them. Plan::resolve() makes it.
// Other pointers or values need another call. It owns what its steps point to: the bytes of all parameters, with tensor
// maps and arrays by value, and scratch memory. The Dispatcher must outlive it. Its launches come from one
// thread at a time; with scratch memory, their stream orders them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "attune/stream_handle.hpp"

namespace attune {

struct PlanParts;
struct PlanArgument;

class ResolvedLaunch {
 public:
  // copy: of an array into its variable, before the other steps. Code of your own may leave it out while the array
  // keeps its content; launch() does not.
  enum class Kind { launch, memset, copy };

  // One driver call. On the host device `function` means nothing to others.
  struct Step {
    Kind kind = Kind::launch;
    std::string name;  // "transpose<float, 32>", "memset of `out`"
    // launch: as cuLaunchKernelEx takes it
    void* function = nullptr;  // a CUfunction
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint64_t shared_bytes = 0;                    // dynamic shared memory
    std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // blocks; 1, 1, 1: no cluster attribute
    bool overlaps = false;                             // with the attribute of programmatic stream serialization
    bool cooperative = false;                          // with the attribute of a cooperative launch
    void** parameters = nullptr;                       // one pointer for each parameter of the kernel, to its bytes
    std::vector<std::size_t> parameter_bytes;          // how many each has
    // memset, copy: device memory
    void* target = nullptr;
    const void* source = nullptr;
    std::uint64_t bytes = 0;
    int value = 0;  // memset: a byte
  };

  ResolvedLaunch(ResolvedLaunch&&) noexcept;
  ResolvedLaunch& operator=(ResolvedLaunch&&) noexcept;
  ~ResolvedLaunch();

  // Returns the steps, in order. They and what they point to live as long as this object, and stay when it moves.
  std::span<const Step> steps() const noexcept { return steps_; }

  // Enqueues every step; any number of times. Checks and encodes nothing. A graph that records them holds all that this
  // object owns. Throws Error when the driver refuses one.
  void launch(StreamHandle stream) const;

 private:
  friend class Plan;
  ResolvedLaunch(std::shared_ptr<const PlanParts> parts, std::span<const PlanArgument> arguments);
  struct State;
  std::shared_ptr<State> state_;  // shared with graphs alone
  std::vector<Step> steps_;
};

}  // namespace attune
