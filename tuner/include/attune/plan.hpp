// Plan: a configuration, its loaded image and its launch shapes, ready. Made by Dispatcher::plan(); the Dispatcher must
// outlive it. Cheap to copy, except that a copy has its own scratch memory. Distinct plans may be launched from distinct
// threads; launches of one plan must come from one thread at a time and are ordered by the stream they share.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "attune/match.hpp"
#include "attune/stream_handle.hpp"
#include "attune/type_of.hpp"

namespace attune {

// One argument as the application passes it.
struct PlanArgument {
  enum class Kind { pointer, integer, floating };
  Kind kind = Kind::pointer;
  bool is_signed = false;
  unsigned size = 0;           // bytes of the value
  std::string_view element;    // pointers: attune's name of the element type; "" for void*
  std::array<std::byte, 16> bytes{};
};

// How C++ values become arguments; Buffer<T> is a pointer to T.
template <typename T>
PlanArgument plan_argument(const T& value);

class Plan {
 public:
  Plan(const Plan& other);  // shares all but scratch memory, which is allocated and zeroed anew; throws OutOfMemory
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan) noexcept;
  ~Plan();

  // Enqueues every step of the plan on `stream` (null: the default stream; on the host device it is done on return).
  // `arguments` in the order of [arguments], less scratch and computed scalars. Throws UsageError, before anything
  // reaches the driver, when their count, kind, element type or size is wrong, a scalar does not fit its type, or one
  // that is named after a problem value differs from the plan's; Error when the driver refuses the launch.
  template <typename... Arguments>
  void launch(StreamHandle stream, const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    launch_arguments(stream, list);
  }
  void launch_arguments(StreamHandle stream, std::span<const PlanArgument> arguments) const;

  const Match& match() const noexcept;
  const Configuration& configuration() const noexcept { return match().configuration; }
  const Problem& problem() const noexcept;

 private:
  friend class Dispatcher;
  struct Shared;   // immutable, shared by copies
  struct Scratch;  // owned
  Plan(std::shared_ptr<const Shared> shared);
  std::shared_ptr<const Shared> shared_;
  std::unique_ptr<Scratch> scratch_;
};

template <typename T>
PlanArgument plan_argument(const T& value) {
  PlanArgument argument;
  if constexpr (requires { typename T::element_type; value.data(); }) {  // Buffer<T> and the like
    return plan_argument(value.data());
  } else if constexpr (std::is_null_pointer_v<T>) {
    return plan_argument(static_cast<void*>(nullptr));
  } else if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_cv_t<std::remove_pointer_t<T>>;
    argument.kind = PlanArgument::Kind::pointer;
    argument.size = sizeof(void*);
    if constexpr (!std::is_void_v<Element>) argument.element = TypeOf<Element>::name;
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
  } else {
    static_assert(std::is_arithmetic_v<T> || sizeof(T) <= 16, "a kernel argument is a pointer, an integer or a floating-point value");
    argument.kind = std::integral<T> ? PlanArgument::Kind::integer : PlanArgument::Kind::floating;
    argument.is_signed = std::is_signed_v<T>;
    argument.size = sizeof(T);
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    return argument;
  }
}

}  // namespace attune
