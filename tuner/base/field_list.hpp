// A concept for the lists of fields of stored and sent types. One list serves both directions: writing passes it a
// const struct, reading passes it a struct to fill.
#pragma once

#include <concepts>
#include <type_traits>

namespace attune {

template <typename T, typename Struct>
concept Is = std::same_as<std::remove_const_t<T>, Struct>;

}  // namespace attune
