// Structures that begin with their size, so that they can grow at the end (attune.h).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "attune/error.hpp"

namespace attune::c_api {

// A greater size counts as one that the caller forgot to set.
inline constexpr std::size_t largest_size = 4096;

// Throws UsageError for a size that no version of the structure has. `first`: the size in interface version 1.
inline void check_size(std::size_t size, std::size_t first, const char* name) {
  if (size >= first && size <= largest_size) return;
  throw UsageError(
      fmt::format("the size of {0} is {1}, which no version has; set size = sizeof({0}) before the call", name, size));
}

// Returns the options of the caller; members beyond its size are zero. Throws UsageError if the caller sets an option
// that this library does not know.
template <typename T>
T options_from(const T& given, std::size_t first, const char* name) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
  const std::size_t size = given.size;
  check_size(size, first, name);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&given);
  const auto is_set = [](unsigned char byte) { return byte != 0; };
  if (size > sizeof(T) && std::any_of(bytes + sizeof(T), bytes + size, is_set))
    throw UsageError(fmt::format("{} sets an option that this library ({}) does not know; it is made for a later one",
                                 name, sizeof(T)));
  T taken{};
  std::memcpy(&taken, bytes, std::min(size, sizeof(T)));
  return taken;
}

// Writes `result` into the caller's structure, up to its size, which stays as it is. Members that the library does not
// know become zero.
template <typename T>
void give_result(T* caller, T result, std::size_t first, const char* name) {
  static_assert(std::is_trivially_copyable_v<T> && offsetof(T, size) == 0);
  const std::size_t size = caller->size;
  check_size(size, first, name);
  result.size = size;
  auto* const bytes = reinterpret_cast<unsigned char*>(caller);
  std::memcpy(bytes, &result, std::min(size, sizeof(T)));
  if (size > sizeof(T)) std::fill(bytes + sizeof(T), bytes + size, static_cast<unsigned char>(0));
}

}  // namespace attune::c_api
