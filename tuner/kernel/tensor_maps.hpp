// Tensor maps of a kernel: what the hardware requires of a map, and the map's layout for a problem and a configuration.
// Pure.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/tensor_layout.hpp"

namespace attune {

// One rule of the hardware. Its condition uses the same names as its value.
struct TensorLimit {
  std::string what;  // "a row of its box"
  Expression value;
  std::string unit;  // " bytes"
  Expression condition;
  std::string rule;  // "multiples of 16"
};

// Returns the rules that must hold wherever the map's `when` holds. `map` has the role map.
std::vector<TensorLimit> tensor_limits(const KernelSpec& spec, const Argument& map);

// Returns whether the map's `when` holds. Throws Error, beginning with `where`, when it is undefined.
bool is_encoded(const Argument& map, const Scope& scope, const std::string& where);

// Returns the layout of a map whose `when` holds. Throws Error, beginning with `where`, naming the rule that the
// configuration breaks.
TensorLayout tensor_layout(const KernelSpec& spec, const Argument& map, const Scope& scope, const std::string& where);

// Throws Error if the configuration breaks a rule of one of the kernel's maps.
void check_tensor_maps(const KernelSpec& spec, const Scope& scope);

}  // namespace attune
