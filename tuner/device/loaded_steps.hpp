// Resolved steps made ready for a device, for tuning and for applications alike. LoadedSteps: the entries of the steps,
// found in a module, and the layout of their arguments, of which a LaunchFrame is one set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/memory.hpp"

namespace attune {

// One argument of a kernel, as steps are bound to it.
struct StepArgument {
  std::string name;  // for messages
  Role role = Role::scalar;
  std::uint64_t bytes = 0;       // arrays: the size of their memory
  std::vector<std::byte> value;  // scalars, maps, arrays by value: the first value
  std::string symbol = {};       // "&name" of the variable that gets an array's content (in) or is its memory (scratch)
  std::optional<ResolvedMap> map = {};  // to encode once its array is known
};

// Returns every argument, in order. Scalars hold the value that the problem or the kernel file gives, else zeros;
// tensor maps hold zeros.
std::vector<StepArgument> step_arguments(const KernelSpec& spec, std::span<const ResolvedArgument> resolved);

// Once its steps are added and its symbols found, it is immutable, and any thread may use it. Keeps the module alive.
class LoadedSteps {
 public:
  // `module`: null when no step is a launch.
  LoadedSteps(std::shared_ptr<Module> module, std::vector<StepArgument> arguments);

  // Appends a step; leaves out a memset of no bytes. Fails as Module::function() does. Only one thread at a time may
  // add steps of a module.
  Status add(const ResolvedStep& step);
  // Appends a routine, which gets all arguments in order.
  void add(std::shared_ptr<Routine> routine, std::string name);
  // Finds the variables of arguments that have a symbol; a variable then serves as the memory of its scratch argument.
  // A failure names the variable that the module lacks or that is too small.
  Status find_symbols();
  // Returns the module that it keeps, or null.
  const std::shared_ptr<Module>& module() const noexcept { return module_; }
  std::size_t size() const noexcept { return steps_.size(); }  // operations
  // Returns the name of the step of operation `i` in messages.
  const std::string& name(std::size_t i) const { return steps_[i].name; }
  // Returns the size in bytes of each parameter of operation `i`; nothing for a memset.
  std::vector<std::size_t> parameter_bytes(std::size_t i) const;

  std::size_t arguments() const noexcept { return arguments_.size(); }
  const StepArgument& argument(std::size_t i) const { return arguments_[i]; }
  std::span<const std::size_t> maps() const noexcept { return maps_; }  // arguments that are tensor maps to encode
  // Returns the scratch arguments that some step uses and that need memory of their own, ascending.
  std::span<const std::size_t> scratch() const noexcept { return scratch_; }
  std::size_t symbols() const noexcept { return symbols_.size(); }  // arguments that are copied into variables
  bool has_variables() const noexcept { return has_variables_; }    // the module has each once, for all launches

  // One set of arguments takes frame_bytes() bytes of memory, which is aligned at least as memory from `new` is.
  static constexpr std::size_t frame_alignment = 128;
  std::size_t frame_bytes() const noexcept { return slack_ + pointers_at_ + places_.size() * sizeof(void*); }
  // Writes the first values to such memory: scalars get their first values, arrays and maps zeros. Returns the slots:
  // one pointer per argument to its bytes (at least 16, and at least as many as its value has). One pointer per
  // parameter of each launch or routine follows.
  void** lay_out(std::byte* memory) const noexcept;
  void copy_values(void** slots, void* const* from) const noexcept;
  // Returns operation `i` over the present values of the slots. A launch reads the values when it is enqueued.
  Operation operation(std::size_t i, void** slots) const noexcept;
  // Returns the operation that copies an array into its variable.
  Operation upload(std::size_t symbol, void* const* slots) const noexcept;
  // The two parts of operation(): the operation without its pointers, and the argument of each parameter (for a memset,
  // the argument of its target).
  const Operation& prototype(std::size_t i) const noexcept { return steps_[i].operation; }
  std::span<const std::size_t> arguments_of(std::size_t i) const noexcept { return steps_[i].arguments; }
  // Returns the address of the array that a slot holds.
  static void* array_in(const void* slot) noexcept {
    void* array = nullptr;
    std::memcpy(&array, slot, sizeof array);
    return array;
  }
  // Returns whether a tensor map of the array is possible: whether its address is aligned for one.
  static bool has_map(const void* array) noexcept {
    return reinterpret_cast<std::uintptr_t>(array) % tensor_array_alignment == 0;
  }
  // Encodes the map of an array, for which has_map() holds, into the 128 bytes at `bytes`. A failure names the map.
  Status encode_map(Device& device, std::size_t map, void* array, void* bytes) const;

 private:
  // The bytes of an argument are aligned to their size, rounded up to a power of two, within two limits. At least: the
  // alignment of memory from `new`, so that a slot can hold a pointer or a vector type. At most: more than any type
  // needs.
  static constexpr std::size_t least_alignment = 16, most_alignment = frame_alignment;
  static_assert(least_alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  struct BoundStep {
    Operation operation;                 // without its pointers
    std::vector<std::size_t> arguments;  // launch, routine: one per parameter; memset: the target
    std::size_t first_parameter = 0;     // launch, routine: the slot of its first parameter
    std::string name;
  };
  struct Symbol {
    std::size_t argument = 0;
    Variable variable;
  };
  void add_argument(const StepArgument& argument);
  void add_step(BoundStep step);

  std::vector<std::size_t> maps_, scratch_;
  std::shared_ptr<Module> module_;
  std::vector<std::shared_ptr<Routine>> routines_;
  std::vector<StepArgument> arguments_;
  std::vector<std::byte> bytes_;     // what all arguments hold at first
  std::size_t pointers_at_ = 0;      // where the slots begin: behind the bytes
  std::vector<std::size_t> places_;  // for each slot, the offset in the bytes that it points to
  std::size_t slack_ = 0;            // bytes by which memory from `new` may have to be shifted
  std::vector<BoundStep> steps_;
  std::vector<Symbol> symbols_;
  bool has_variables_ = false;
};

// Returns the error with the name of the scratch argument for which there is no room.
OutOfMemory no_room_for(const StepArgument& argument, const OutOfMemory& error);

// Allocates the scratch memory of an argument. Throws OutOfMemory naming it.
DeviceMemory scratch_memory(Device& device, const StepArgument& argument);

}  // namespace attune
