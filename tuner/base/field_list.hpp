// For the lists of fields of stored and sent types: one list serves writing, which gives it a const struct, and
// reading, which gives it one to fill.
#pragma once

#include <concepts>
#include <type_traits>

namespace attune {

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

}  // namespace attune
