// The bound of a time: which of the device's measured ceilings it comes nearest to. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "attune/kernel_spec.hpp"
#include "core/ceiling.hpp"

namespace attune {

struct Bound {
  std::string ceiling;  // its name: "copy"
  double fraction = 0;  // of it that was reached; over 1 where caches deliver more than memory does
};

// What [metrics] gives for a problem; nothing where it gives none, or no number.
std::optional<double> amount_of(const std::optional<Expression>& amount, const Problem& problem);

// The ceiling that counts for the kernel's bytes: "read" where less than a tenth of what its arrays hold is written,
// else "copy". Scratch is left out: it may never reach memory.
std::string memory_ceiling(const KernelSpec& spec, const Problem& problem);

// The ceiling that counts for its operations: that of the problem's T where there is one, else "fma float".
std::string arithmetic_ceiling(const Problem& problem, std::span<const Ceiling> ceilings);

// Of those two the one of which more was reached; nothing where the kernel has no metrics or the device no ceilings.
std::optional<Bound> bound_of(const KernelSpec& spec, const Problem& problem, double nanoseconds,
                              std::span<const Ceiling> ceilings);

}  // namespace attune
