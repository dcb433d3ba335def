// Counts the members of a struct, so that a list of its fields can check that it is complete.
#pragma once

#include <cstddef>
#include <utility>

namespace attune {
namespace member_count_detail {

struct Any {
  template <typename T>
  operator T() const;  // never called
};

template <typename Struct, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
  return requires { Struct{(static_cast<void>(I), Any{})...}; };
}

}  // namespace member_count_detail

// Returns the number of members of an aggregate without arrays. A member that is a struct counts once.
template <typename Struct, std::size_t Least = 0>
constexpr std::size_t member_count() {
  if constexpr (member_count_detail::takes<Struct>(std::make_index_sequence<Least + 1>()))
    return member_count<Struct, Least + 1>();
  else
    return Least;
}

}  // namespace attune
