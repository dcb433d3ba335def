// ResolvedLaunch: the steps of a plan for fixed arguments, as the driver takes them. Plan::resolve() makes it; other
// pointers or values need another ResolvedLaunch. It owns what its steps point to: the bytes of all parameters, tensor
// maps and arrays by value among them, and scratch memory. The Dispatcher must outlive it. One thread at a time may
// launch it. A ResolvedLaunch with scratch memory must be on one stream at a time.
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
  // copy: copies an array into its variable, before the other steps. Code of your own may skip it while the array
  // keeps its content; launch() never skips it.
  enum class Kind { launch, memset, copy };

  // One driver call. On the host device only attune can use `function`.
  struct Step {
    Kind kind = Kind::launch;
    std::string name;  // "transpose<float, 32>", "memset of `out`"
    // launch: as cuLaunchKernelEx takes it
    void* function = nullptr;  // a CUfunction
    std::array<std::uint32_t, 3> grid{}, block{};
    std::uint64_t shared_bytes = 0;                    // dynamic shared memory
    std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // blocks; 1, 1, 1: no cluster attribute
    bool overlaps = false;                             // needs the attribute of programmatic stream serialization
    bool cooperative = false;                          // needs the attribute of a cooperative launch
    void** parameters = nullptr;                       // one pointer for each parameter of the kernel, to its bytes
    std::vector<std::size_t> parameter_bytes;          // the size of each parameter
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

  // Enqueues every step, and checks and encodes nothing. It may be called any number of times. A graph that captures
  // the launch keeps alive what this object owns. Throws Error when the driver refuses a step.
  void launch(StreamHandle stream) const;

 private:
  friend class Plan;
  ResolvedLaunch(std::shared_ptr<const PlanParts> parts, std::span<const PlanArgument> arguments);
  struct State;
  std::shared_ptr<State> state_;  // shared only with graphs
  std::vector<Step> steps_;
};

}  // namespace attune
