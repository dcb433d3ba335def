// The roles of arguments, as kernel files write them.
#pragma once

#include "attune/kernel_spec.hpp"
#include "base/enum_texts.hpp"

namespace attune {

inline constexpr EnumTexts<Role> role_names("in", "out", "inout", "scratch", "scalar", "map");

}  // namespace attune
