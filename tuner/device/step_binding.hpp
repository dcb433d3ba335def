// Resolved steps on their way to a device, for tuning and in applications alike. LoadedSteps: their entries, found in a
// module, and how their arguments lie. StepBinding: one set of arguments for them that is kept, as operations to
// enqueue. A LaunchFrame (launch_frame.hpp) is one for a single launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "device/memory.hpp"

namespace attune {

// One argument of a kernel, as steps are bound to it.
struct StepArgument {
  std::string name;  // for messages
  Role role = Role::scalar;
  std::uint64_t bytes = 0;              // arrays: of their memory
  std::vector<std::byte> value;         // scalars, maps, by value: what they hold at first
  std::string symbol = {};              // arrays: "&name" of the variable: in: it holds the content; scratch: it is it
  std::optional<ResolvedMap> map = {};  // to encode once its array is known
};

// Returns every argument, in order. Scalars hold the value that the problem or the kernel file gives, else zeros, which
// tensor maps hold too.
std::vector<StepArgument> step_arguments(const KernelSpec& spec, std::span<const ResolvedArgument> resolved);

// Once made it is immutable, and any thread may use it. It keeps the module alive.
class LoadedSteps {
 public:
  // `module`: null when no step is a launch.
  LoadedSteps(std::shared_ptr<Module> module, std::vector<StepArgument> arguments);

  // Appends a step; a memset of no bytes is left out. Returns why the module has no such function. Not thread-safe per
  // module.
  Status add(const ResolvedStep& step);
  // Appends a routine, which gets all arguments in order.
  void add(std::shared_ptr<Routine> routine, std::string name);
  // Finds the variables of arguments that have a symbol; scratch memory is then that of its variable. Returns which one
  // the module lacks, or is too small.
  Status find_symbols();
  // Returns the module that it keeps, or null.
  const std::shared_ptr<Module>& module() const noexcept { return module_; }
  std::size_t size() const noexcept { return steps_.size(); }  // operations
  // Returns the name of the step of operation `i` in messages.
  const std::string& name(std::size_t i) const { return steps_[i].name; }
  // Returns how many bytes each parameter of operation `i` has; none of a memset.
  std::vector<std::size_t> parameter_bytes(std::size_t i) const;

  std::size_t arguments() const noexcept { return arguments_.size(); }
  const StepArgument& argument(std::size_t i) const { return arguments_[i]; }
  std::span<const std::size_t> maps() const noexcept { return maps_; }  // arguments that are tensor maps to encode
  // Returns the arguments that are scratch memory which some step uses, ascending: those that need memory.
  std::span<const std::size_t> scratch() const noexcept { return scratch_; }
  std::size_t symbols() const noexcept { return symbols_.size(); }  // arguments that are copied into variables
  bool has_variables() const noexcept { return has_variables_; }    // which the module has once, for all launches

  // One set of arguments lies in `frame_bytes()` bytes of memory, which is aligned as memory from `new` at least.
  static constexpr std::size_t frame_alignment = 128;
  std::size_t frame_bytes() const noexcept { return slack_ + pointers_at_ + places_.size() * sizeof(void*); }
  // Lays the first values out there. Returns the slots: pointers to the bytes of each argument, at least 16 and as many
  // as its value has; behind them those of each parameter of each launch. Scalars hold their first values, arrays and
  // maps zeros.
  void** lay_out(std::byte* memory) const noexcept;
  void copy_values(void** slots, void* const* from) const noexcept;
  // Returns the operation over the present values of the slots. A launch reads them when it is enqueued.
  Operation operation(std::size_t i, void** slots) const noexcept;
  // Returns the copy of an array into its variable.
  Operation upload(std::size_t symbol, void* const* slots) const noexcept;
  // What operation() is made of: the operation less its pointers, and the arguments that its parameters are. Of a
  // memset that is the target.
  const Operation& prototype(std::size_t i) const noexcept { return steps_[i].operation; }
  std::span<const std::size_t> arguments_of(std::size_t i) const noexcept { return steps_[i].arguments; }
  // Returns the array of a slot.
  static void* array_in(const void* slot) noexcept {
    void* array = nullptr;
    std::memcpy(&array, slot, sizeof array);
    return array;
  }
  // Returns whether there may be a map of the array.
  static bool has_map(const void* array) noexcept {
    return reinterpret_cast<std::uintptr_t>(array) % tensor_array_alignment == 0;
  }
  // Encodes the map of such an array into 128 bytes. A failure names the map.
  Status encode_map(Device& device, std::size_t map, void* array, void* bytes) const;

 private:
  // Bytes lie at multiples of their size, rounded up to a power of two: at least this, what memory from `new` has, so
  // that a slot holds a pointer or a vector type; at most that, more than any type asks for.
  static constexpr std::size_t least_alignment = 16, most_alignment = frame_alignment;
  static_assert(least_alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  struct Step {
    Operation operation;                 // less its pointers
    std::vector<std::size_t> arguments;  // launch, routine: of each parameter; memset: the target
    std::size_t first_parameter = 0;     // launch, routine: its slot
    std::string name;
  };
  struct Symbol {
    std::size_t argument = 0;
    Variable variable;
  };
  void add_argument(const StepArgument& argument);
  void add_step(Step step);

  std::vector<std::size_t> maps_, scratch_;
  std::shared_ptr<Module> module_;
  std::vector<std::shared_ptr<Routine>> routines_;
  std::vector<StepArgument> arguments_;
  std::vector<std::byte> bytes_;     // what all arguments hold at first
  std::size_t pointers_at_ = 0;      // where the slots begin: behind the bytes
  std::vector<std::size_t> places_;  // of each slot, what it points to: an offset in the bytes
  std::size_t slack_ = 0;            // bytes by which memory from `new` may have to be shifted
  std::vector<Step> steps_;
  std::vector<Symbol> symbols_;
  bool has_variables_ = false;
};

// One set of arguments that is kept, with operations over it and scratch memory of its own. One thread at a time.
// Moving it keeps all addresses.
class StepBinding {
 public:
  // Scalars hold their first values; arrays are null.
  explicit StepBinding(std::shared_ptr<const LoadedSteps> steps);
  // Copies steps, values and arrays, in bytes of its own. It uses the scratch memory of the other, which must outlive
  // it.
  StepBinding(const StepBinding& other);
  StepBinding& operator=(const StepBinding&) = delete;
  StepBinding(StepBinding&&) noexcept = default;
  StepBinding& operator=(StepBinding&&) noexcept = default;

  // Returns where the bytes of each argument lie: at least 16, and as many as its value has.
  std::span<void* const> slots() const noexcept { return {slots_, steps_->arguments()}; }
  void set_array(std::size_t argument, void* memory);
  // Encodes the tensor maps of arrays that have moved since the last call. An array whose address is no multiple of 16
  // gives a map of zeros: `misaligned` is then its name, else null. Allocates nothing while it succeeds.
  Status aim_maps(Device& device, const std::string*& misaligned);
  // Allocates the scratch memory that steps use and enqueues zeroing it on the default stream. Throws OutOfMemory
  // naming the argument.
  Status make_scratch(Device& device, Guards guards);
  bool has_scratch() const noexcept { return !scratch_.empty(); }
  // Adds checks of the guard bands of scratch memory.
  void add_scratch(Checks& checks) const;

  // Returns the steps over the present values of the slots. Launches read the slots when they are enqueued. Allocates
  // nothing.
  std::span<const Operation> operations();
  // Returns the copies of arrays with a symbol into their variables, before the steps.
  std::span<const Operation> uploads();

 private:
  struct Scratch {
    std::size_t argument = 0;
    DeviceMemory memory;
  };
  std::shared_ptr<const LoadedSteps> steps_;
  std::unique_ptr<std::byte[]> memory_;
  void** slots_ = nullptr;    // in the memory
  std::vector<void*> aimed_;  // the array that each of the steps' maps is of
  std::vector<Operation> operations_, uploads_;
  std::vector<Scratch> scratch_;
};

// Allocates the scratch memory of an argument. Throws OutOfMemory naming it.
DeviceMemory scratch_memory(Device& device, const StepArgument& argument, Guards guards);

}  // namespace attune
