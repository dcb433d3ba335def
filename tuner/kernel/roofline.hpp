// The bound of a time: the measured ceiling of the device to which the kernel comes nearest in that time. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "core/ceiling.hpp"

namespace attune {

struct Bound {
  std::string ceiling;  // its name: "copy"
  double fraction = 0;  // of the ceiling's rate; over 1 if caches deliver more than memory does
};

// Returns null where there is no ceiling of this name.
const Ceiling* ceiling_named(std::span<const Ceiling> ceilings, std::string_view name);

// Returns the value of a [metrics] line for a problem and a configuration; nothing if there is no such line, or its
// value is not a number.
std::optional<double> amount_of(const std::optional<Expression>& amount, const Problem& problem,
                                const Configuration& configuration);

// Returns the ceiling for the kernel's bytes: "read" if less than a tenth of its arrays' bytes is written, else "copy".
// Scratch arrays do not count, because they may never reach memory. Returns "" if an array lies in host memory.
std::string memory_ceiling(const KernelSpec& spec, const Problem& problem);

// Returns the ceiling for the kernel's operations: the one for the problem's type T if there is one, else "fma float".
std::string arithmetic_ceiling(const Problem& problem, std::span<const Ceiling> ceilings);

// Returns the ceiling of which the larger share was reached. Returns nothing if the kernel has no metrics or the device
// has no ceilings.
std::optional<Bound> bound_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                              double nanoseconds, std::span<const Ceiling> ceilings);

}  // namespace attune
