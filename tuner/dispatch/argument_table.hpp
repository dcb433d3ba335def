// ArgumentTable: what an application must pass to a plan, and how it becomes kernel parameters. Built once per plan,
// immutable, any thread. Checking and encoding a call neither allocates nor looks anything up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

// What a launch checks and writes of one argument: one line of the cache.
struct alignas(64) ArgumentForm {
  // How it is encoded; decided once, so that a launch dispatches on one small number.
  enum class Kind : std::uint8_t { array, values, integer, real32, real64, real16, verbatim };

  std::string_view type;     // of the element or the scalar
  std::uint64_t count = 0;   // arrays: elements
  std::int64_t minimum = 0;  // integers, and bool
  std::uint64_t maximum = 0;
  std::array<std::byte, 16> fixed{};
  std::uint32_t size = 0;  // bytes of the parameter
  std::uint16_t slot = 0;
  Kind kind = Kind::array;
  bool is_written : 1 = false;  // arrays: by the kernel
  bool is_fixed : 1 = false;    // scalars: must equal `fixed`, the plan's problem value

  // Checks what was passed. Returns where the bytes of the parameter lie: where they were passed, or in `room`, to which
  // they are converted. Returns null where it does not fit.
  const void* bytes_of(const PlanArgument& passed, std::uint64_t& room) const {
    if (kind == Kind::array) return fits_array(passed) ? passed.bytes.data() : nullptr;
    if (kind == Kind::integer && passed.kind == PlanArgument::Kind::integer) return integer_of(passed);
    return other_of(passed, room);
  }

 private:
  template <typename T>
  static T read(const std::array<std::byte, 16>& bytes) {
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // As ==. Both are literals most often, which a linker keeps once.
  static bool same(std::string_view one, std::string_view other) {
    return one.size() == other.size() &&
           (one.data() == other.data() || std::memcmp(one.data(), other.data(), one.size()) == 0);
  }
  bool fits_array(const PlanArgument& passed) const {
    return passed.kind == PlanArgument::Kind::pointer && (passed.type.empty() || same(passed.type, type)) &&
           !(passed.is_const && is_written) && passed.count >= count && (read<void*>(passed.bytes) || count == 0);
  }
  // Little-endian: the low bytes are the narrower value.
  const void* integer_of(const PlanArgument& passed) const {
    const auto value = read<std::uint64_t>(passed.bytes);
    const bool is_negative = passed.is_signed && static_cast<std::int64_t>(value) < 0;
    if (is_negative ? static_cast<std::int64_t>(value) < minimum : value > maximum) return nullptr;
    if (is_fixed && (value ^ read<std::uint64_t>(fixed)) << (64 - 8 * size) != 0) return nullptr;
    return passed.bytes.data();
  }
  const void* other_of(const PlanArgument& passed, std::uint64_t& room) const;
  const void* real_of(const PlanArgument& passed, std::uint64_t& room) const;
};
static_assert(sizeof(ArgumentForm) == 64);

class ArgumentTable {
 public:
  // `resolved`: every argument of the kernel, in order (resolve_arguments).
  ArgumentTable(const KernelSpec& spec, std::span<const ResolvedArgument> resolved);

  // Checks what an application passed and writes it into `slots`: of every argument of the kernel, 16 bytes or more.
  // Scratch and computed scalars are left alone. Throws UsageError naming the argument, what it is and what was passed;
  // `slots` are then of no use for a launch.
  void encode(std::span<const PlanArgument> passed, std::span<void* const> slots) const;

  // Returns those of the arguments that the application passes, in order.
  std::span<const ArgumentForm> forms() const noexcept { return forms_; }

  // "transpose(out: float*, in: const float*, width: int64, height: int64)": what the application passes.
  std::string signature() const;

 private:
  using Kind = ArgumentForm::Kind;
  struct Shown {
    std::string name, fixed_text;
  };
  void expect(const Argument& argument, const ResolvedArgument& resolved, std::size_t slot);
  std::string reason(std::size_t position, const PlanArgument& passed) const;
  [[noreturn]] void refuse(std::size_t position, const PlanArgument& passed) const;
  [[noreturn]] void refuse_count(std::size_t passed) const;

  std::string kernel_;
  std::vector<ArgumentForm> forms_;
  std::vector<Shown> shown_;  // for messages
};

}  // namespace attune
