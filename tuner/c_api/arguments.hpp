// Converts arguments and problems of the C interface to those of the C++ interface. Any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "attune.h"
#include "attune/bindings.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
#include "attune/policy.hpp"

namespace attune {
struct TypeInfo;
}

namespace attune::c_api {

// A list of what a launch passes, on the stack unless it is long.
template <typename T, std::size_t usual>
class LaunchList {
 public:
  static_assert(std::is_trivially_destructible_v<T>);
  // `count`: the most that will be added.
  explicit LaunchList(std::size_t count) {
    if (count <= usual) return;
    longer_ = std::make_unique_for_overwrite<ArgumentRoom[]>(count);
    items_ = reinterpret_cast<T*>(longer_.get());
  }
  LaunchList(const LaunchList&) = delete;
  LaunchList& operator=(const LaunchList&) = delete;
  template <typename... Parts>
  T& add(Parts&&... parts) {
    return *std::construct_at(items_ + size_++, std::forward<Parts>(parts)...);
  }
  std::span<const T> items() const noexcept { return {items_, size_}; }

 private:
  struct alignas(T) ArgumentRoom {
    std::byte bytes[sizeof(T)];
  };
  ArgumentRoom room_[usual];
  std::unique_ptr<ArgumentRoom[]> longer_;
  T* items_ = reinterpret_cast<T*>(room_);
  std::size_t size_ = 0;
};
using ArgumentList = LaunchList<PlanArgument, 16>;
using ValueList = LaunchList<ProblemValue, 8>;

// Returns the type that a number of attune_type means, or null for any other number and for ATTUNE_UNTYPED.
const TypeInfo* type_of(int number) noexcept;

// Append to `list`, whose entries view what is passed. Throw UsageError that names the place, counted from 1, and what
// is wrong there.
void take_arguments(const attune_argument* arguments, std::size_t count, ArgumentList& list);
void take_values(const attune_problem_value* values, std::size_t count, ValueList& list);

// Returns the problem. Throws UsageError for a name that is missing or given twice.
Problem problem_from(const attune_problem& problem);

// Returns the policy. Throws UsageError for a number that is not a policy.
Policy policy_from(const attune_policy& policy);

// Returns the number that was passed as an enumeration, which need not be one of its constants.
template <typename Enumeration>
int number_of(const Enumeration& passed) noexcept {
  static_assert(sizeof(Enumeration) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &passed, sizeof number);
  return number;
}

}  // namespace attune::c_api
