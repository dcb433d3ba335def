// PlanParts: everything that the copies of a plan share, and the functions that make a launch of it. What one launch
// alone needs is on the stack of its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "attune/match.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "device/launch_frame.hpp"
#include "dispatch/argument_table.hpp"
#include "dispatch/held_memory.hpp"
#include "dispatch/launch_block.hpp"
#include "dispatch/map_cache.hpp"
#include "dispatch/stream_scratch.hpp"
#include "dispatch/symbol_uploads.hpp"

namespace attune {

// What all plans of a dispatcher share.
struct PlanContext {
  using Warn = std::function<void(const std::string&)>;
  explicit PlanContext(std::shared_ptr<Device> of, Warn to = {},
                       std::shared_ptr<HeldMemory> counts = std::make_shared<HeldMemory>())
      : device(std::move(of)), warn(std::move(to)), held(std::move(counts)) {}
  const std::shared_ptr<Device> device;
  const Warn warn;  // of the dispatcher, which outlives all plans; empty: there is none
  // Counts the code of plans, and the scratch memory of their streams.
  const std::shared_ptr<HeldMemory> held;
  mutable std::mutex functions;  // of who asks a module for functions: Module promises no thread-safety
};

// The code of a plan.
struct PlanCode {
  std::shared_ptr<Module> module;  // null: no step is a launch
  std::uint64_t bytes = 0;
  // Set for an image with variables, because plans that shared a module would set each other's variables: each plan
  // loads a module of its own.
  std::shared_ptr<const Image> image = {};
};

// What a kernel, a problem and a configuration come to on a device.
struct ResolvedPlan {
  std::vector<ResolvedStep> steps;
  std::vector<ResolvedArgument> arguments;
};
// `configuration` is not used for a problem that launches nothing. Throws Error as resolve_steps() and
// resolve_arguments() do.
ResolvedPlan resolve_plan(const KernelSpec& kernel, const Problem& problem, const Configuration& configuration,
                          const DeviceInfo& device);

// The steps of a plan, and what launches by frame share.
struct PlanSteps {
  PlanSteps(ArgumentTable table, std::shared_ptr<const LoadedSteps> steps, const std::shared_ptr<HeldMemory>& held)
      : arguments(std::move(table)), loaded(std::move(steps)), scratch(held) {}
  const ArgumentTable arguments;
  const std::shared_ptr<const LoadedSteps> loaded;
  mutable MapCache maps;
  mutable StreamScratch scratch;
  mutable SymbolUploads uploads;
};

// Any thread. Keeps device, kernel and module alive. There may be a million of them, so a plain plan has little besides
// its block.
struct PlanParts : std::enable_shared_from_this<PlanParts> {
  PlanParts(std::shared_ptr<const PlanContext> of, std::shared_ptr<const KernelSpec> spec, PlanCode loaded,
            Problem complete, Match chosen)
      : context(std::move(of)),
        kernel(std::move(spec)),
        code(std::move(loaded)),
        problem(std::move(complete)),
        match(std::move(chosen)) {}
  std::shared_ptr<const PlanContext> context;
  std::shared_ptr<const KernelSpec> kernel;
  PlanCode code;
  std::shared_ptr<Module> shared_module = {};  // null, or that from whose image the plan has a module of its own
  Problem problem;
  Match match;
  LaunchBlock::Owner block = {};                     // null where the plan is not plain
  std::shared_ptr<const PlanSteps> kept_steps = {};  // null where the plan is plain

  Device& device() const noexcept { return *context->device; }
  // Returns the steps. Those of a plain plan are made at each call, which throws Error when the device refuses it.
  std::shared_ptr<const PlanSteps> steps() const;

  // Throws Error that says which step of this plan failed, and why.
  [[noreturn]] void fail(std::string_view step, const Status& status) const;
  void enqueue(const Operation& operation, std::string_view step, StreamHandle stream) const {
    if (const Status status = device().enqueue(operation, stream); !status.ok()) fail(step, status);
  }
  void warn_of_misaligned(const std::string& array) const;
};

// Checks the arguments and enqueues the steps of a plan without a block. Any thread. On a stream that is captured, the
// graph holds the parts, and has scratch memory of its own. Throws what Plan::launch throws. Returns the name of an
// array whose misaligned address made its tensor map zeros, or null. Allocates nothing, except at the first launch on a
// stream, in a capture, and for parameters beyond LaunchFrame::stack_bytes. It is not inlined, so that launches by a
// block do not pay for its stack.
[[gnu::noinline]] const std::string* launch_by_frame(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                                     std::span<const PlanArgument> passed);

// Makes the graph that is captured from the stream hold the parts. Throws Error where it cannot.
void hold_in_graph(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream);

// Launches by the plan's block if it has one, else by launch_by_frame(). Returns and throws what launch_by_frame()
// does.
inline const std::string* launch_plan(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                      std::span<const PlanArgument> passed) {
  const LaunchBlock* const block = parts->block.get();
  if (block == nullptr) return launch_by_frame(parts, stream, passed);
  if (block->is_captured(stream)) [[unlikely]]
    hold_in_graph(parts, stream);
  block->launch(stream, passed);
  return nullptr;
}

// Returns parts that a plan may launch: the given ones, or where there are variables, new ones with their own module.
// Throws Error when the driver refuses the module.
std::shared_ptr<const PlanParts> parts_of_own(std::shared_ptr<const PlanParts> parts);

// Returns whether both plans have the same configuration, found in the same way, of the same code.
bool is_same_plan(const PlanParts& a, const PlanParts& b);

// Makes the parts for what resolve_plan() returned. Returns null when the device refuses a step; `status` then says
// which and why.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<const PlanContext> context,
                                                 std::shared_ptr<const KernelSpec> kernel, PlanCode code,
                                                 const Problem& problem, Match match, const ResolvedPlan& resolved,
                                                 Status& status);

}  // namespace attune
