// ArgumentTable: what an application must pass to a plan, and how it becomes kernel parameters. Built once per plan,
// immutable, any thread. Checking and encoding a call neither allocates nor looks anything up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "attune/plan.hpp"
#include "kernel/instantiate.hpp"

namespace attune {

// Returns which arguments an application passes, by their places in spec.arguments.
std::vector<std::size_t> passed_arguments(const KernelSpec& spec);

class ArgumentTable {
 public:
  // `resolved`: every argument of the kernel, in order (resolve_arguments).
  ArgumentTable(const KernelSpec& spec, std::span<const ResolvedArgument> resolved);

  // Checks what an application passed and writes it into `slots`: of every argument of the kernel, 16 bytes or more.
  // Scratch and computed scalars are left alone. Throws UsageError naming the argument, what it is and what was passed;
  // `slots` are then of no use for a launch.
  void encode(std::span<const PlanArgument> passed, std::span<void* const> slots) const;

  // "transpose(out: float*, in: const float*, width: int64, height: int64)": what the application passes.
  std::string signature() const;

 private:
  // How an argument is encoded; decided once, so that a launch dispatches on one small number.
  enum class Form : std::uint8_t { array, values, boolean, integer, real32, real64, real16, verbatim };
  struct Expected {
    Form form = Form::array;
    bool is_written = false;   // arrays: by the kernel
    bool is_fixed = false;     // scalars: must equal `fixed`, the plan's problem value
    unsigned size = 0;         // bytes of the parameter
    std::int64_t minimum = 0;  // integers
    std::uint64_t maximum = 0;
    std::uint64_t count = 0;  // arrays: elements
    std::string_view type;    // of the element or the scalar
    std::size_t slot = 0;
    std::array<std::byte, 16> fixed{};
    std::string name, fixed_text;
  };
  static Expected expect(const Argument& argument, const ResolvedArgument& resolved, std::size_t slot);
  static bool is_as_fixed(const Expected& expected, const PlanArgument& passed, const void* slot);
  static bool store(const Expected& expected, const PlanArgument& passed, void* slot);
  static bool store_values(const Expected& expected, const PlanArgument& passed, void* slot);
  static bool store_integer(const Expected& expected, const PlanArgument& passed, void* slot);
  static bool store_real(const Expected& expected, const PlanArgument& passed, void* slot);
  static std::string reason(const Expected& expected, const PlanArgument& passed);
  [[noreturn]] void refuse(std::size_t position, const PlanArgument& passed) const;
  [[noreturn]] void refuse_count(std::size_t passed) const;

  std::string kernel_;
  std::vector<Expected> expected_;  // those that the application passes, in order
};

}  // namespace attune
