// ArgumentTable: which arguments an application must pass to a plan, and how they become kernel parameters. Built once
// per plan and immutable; any thread. Checking and encoding a call neither allocates nor looks anything up.
#pragma once

#include <array>
#include <cmath>
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

// Returns the places in spec.arguments of the arguments that an application passes.
std::vector<std::size_t> passed_arguments(const KernelSpec& spec);

// Returns the value that stands in the bytes of an argument.
template <typename T>
T read(const std::array<std::byte, 16>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// How a launch checks and converts one argument. It takes half a line of the cache.
struct alignas(32) ArgumentForm {
  // How it is encoded; decided once, so that a launch dispatches on one small number.
  enum class Kind : std::uint8_t { array, values, integer, real32, real64, real16, verbatim };

  const char* type_name = nullptr;  // attune's own text, of the type of the element or of the scalar
  std::uint64_t limit = 0;          // arrays: the least count of elements; integers and bool: the greatest value
  std::uint64_t fixed = 0;          // the bytes that a scalar with `is_fixed` must have
  std::uint16_t size = 0;           // bytes of the parameter, of which a launch takes 32,764
  std::uint16_t slot = 0;
  std::uint8_t type_length = 0;
  Kind kind = Kind::array;
  bool is_signed : 1 = false;
  bool is_written : 1 = false;  // arrays: by the kernel
  bool is_fixed : 1 = false;    // scalars: must equal `fixed`, the plan's problem value

  std::string_view type() const noexcept { return {type_name, type_length}; }

  // Checks what was passed. Returns the address of the parameter's bytes: where they were passed, or `room`, into which
  // they are converted. Returns null where the passed value does not fit.
  const void* bytes_of(const PlanArgument& passed, std::uint64_t& room) const {
    if (kind == Kind::array) return fits_array(passed) ? passed.bytes.data() : nullptr;
    if (kind == Kind::integer && passed.kind == PlanArgument::Kind::integer) return integer_of(passed);
    if (kind == Kind::real32 && passed.kind == PlanArgument::Kind::floating && !is_fixed) return float_of(passed, room);
    return other_of(passed, room);
  }

 private:
  // Most often both names are the same literal, which a linker keeps once, so that the addresses are equal.
  bool is_of_type(std::string_view name) const {
    return name.size() == type_length &&
           (name.data() == type_name || std::memcmp(name.data(), type_name, type_length) == 0);
  }
  bool fits_array(const PlanArgument& passed) const {
    return passed.kind == PlanArgument::Kind::pointer && (passed.type.empty() || is_of_type(passed.type)) &&
           !(passed.is_const && is_written) && passed.count >= limit && (read<void*>(passed.bytes) || limit == 0);
  }
  // Little-endian: the low bytes are the narrower value.
  const void* integer_of(const PlanArgument& passed) const {
    const auto value = read<std::uint64_t>(passed.bytes);
    const bool is_negative = passed.is_signed && static_cast<std::int64_t>(value) < 0;
    if (is_negative ? !is_signed || ~value > limit : value > limit) return nullptr;
    return is_fixed && (value ^ fixed) << (64 - 8 * size) != 0 ? nullptr : passed.bytes.data();
  }
  // A value is rounded as in C++. Only a finite value that becomes infinite is refused.
  static const void* float_of(const PlanArgument& passed, std::uint64_t& room) {
    const auto value = read<double>(passed.bytes);
    const auto narrow = static_cast<float>(value);
    std::memcpy(&room, &narrow, sizeof narrow);
    return std::isfinite(narrow) || !std::isfinite(value) ? &room : nullptr;
  }
  const void* other_of(const PlanArgument& passed, std::uint64_t& room) const;
  const void* real_of(const PlanArgument& passed, std::uint64_t& room) const;
};
static_assert(sizeof(ArgumentForm) == 32);

class ArgumentTable {
 public:
  // `resolved`: every argument of the kernel, in order (resolve_arguments).
  ArgumentTable(const KernelSpec& spec, std::span<const ResolvedArgument> resolved);

  // Checks what an application passed and writes it into `slots`, which has 16 bytes or more for every argument of the
  // kernel. Slots of scratch arrays and computed scalars are left alone. Throws UsageError that names the argument,
  // what it is and what was passed; the content of `slots` must not be launched then.
  void encode(std::span<const PlanArgument> passed, std::span<void* const> slots) const;

  // Returns the forms of the arguments that the application passes, in order.
  std::span<const ArgumentForm> forms() const noexcept { return forms_; }

  // "transpose(out: float*, in: const float*, width: int64, height: int64)": what the application passes.
  std::string signature() const;

 private:
  using Kind = ArgumentForm::Kind;
  struct ShownArgument {
    std::string name, fixed_text;
  };
  void expect(const Argument& argument, const ResolvedArgument& resolved, std::size_t slot);
  std::string reason(std::size_t position, const PlanArgument& passed) const;
  [[noreturn]] void refuse(std::size_t position, const PlanArgument& passed) const;
  [[noreturn]] void refuse_count(std::size_t passed) const;

  std::string kernel_;
  std::vector<ArgumentForm> forms_;
  std::vector<ShownArgument> shown_;  // for messages
};

}  // namespace attune
