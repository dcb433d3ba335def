// Plan: a configuration, its loaded image and its launch shapes, ready to launch. Dispatcher::plan() makes it; the
// Dispatcher must outlive it. Copies are cheap, because they share everything except variables (`symbol`). Any number
// of threads may launch one plan at once, each with arguments of its own. A plan has separate scratch memory for each
// stream that it is launched on.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "attune/bindings.hpp"
#include "attune/match.hpp"
#include "attune/resolved_launch.hpp"
#include "attune/stream_handle.hpp"
#include "attune/type_of.hpp"

namespace attune {

struct PlanParts;

// One argument as the application passes it. It copies a scalar, but refers to the type's name and to the elements of
// an array by value: make and use it within one call.
struct PlanArgument {
  // values: the elements of an object in host memory (std::array, std::vector), whose address is in `bytes`
  enum class Kind : std::uint8_t { pointer, values, integer, floating, other };
  static constexpr std::uint64_t unknown_count = ~std::uint64_t{0};

  Kind kind = Kind::pointer;
  bool is_signed = false;  // integers
  bool is_const = false;   // pointers: to const elements
  bool is_device = false;  // pointers: from a Buffer, so to device memory
  std::string_view type;   // attune's name of the value's type; pointers: of the element type, "" for void*
  std::uint64_t count = unknown_count;  // elements of the array, where the argument knows it (Buffer)
  // The value: a pointer; an integer, widened to 64 bits; a floating-point value, as a double; others verbatim.
  alignas(16) std::array<std::byte, 16> bytes{};

  template <typename T>
  void set(const T& value) noexcept {
    static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
    std::memcpy(bytes.data(), &value, sizeof value);
  }
};

// Converts a C++ value to an argument: a pointer, an integer, an enumeration, float, double, or a struct with a TypeOf
// name (half, float4, ...). A class with element_type and data(), such as Buffer<T>, passes the pointer data(). Another
// class with data() and size(), such as std::array, passes the elements of an array by value.
template <typename T>
PlanArgument plan_argument(const T& value);

class Plan {
 public:
  // Shares everything and allocates nothing, except for a kernel with variables (`symbol`): there each copy loads a
  // module of its own, and throws Error when the driver refuses that.
  Plan(const Plan& other);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan) noexcept;
  ~Plan();

  // Enqueues every step of the plan on `stream`; null is the default stream. On the host device the work is done on
  // return. `arguments` stand in the order of [arguments], without scratch arrays, tensor maps, scalars that attune
  // computes (`value = ...`), and arguments that only tuning uses. docs/dispatch.md says which C++ values each argument
  // accepts, and what a launch in a graph does.
  // Throws UsageError, before anything reaches the driver, for a wrong number of arguments, a wrong kind or element
  // type, a null array, an array that is too small, or a scalar beyond the range of its type. It also does so for a
  // scalar with the name of a problem value that differs from the value in the plan's problem. Throws Error when the
  // driver refuses the launch. Throws OutOfMemory when there is no room for scratch memory, which is allocated at the
  // first launch on a stream and at each captured launch.
  // Thread-safe. Launches of a plan with variables take turns, and must be on one stream at a time.
  template <typename... Arguments>
  void launch(StreamHandle stream, const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    launch_arguments(stream, list);
  }
  void launch_arguments(StreamHandle stream, std::span<const PlanArgument> arguments) const;

  // Makes the next launch upload the arrays with a `symbol` again, because their content changed. Without this call, a
  // launch uploads them only when an address differs from that of the plan's last launch, or when a launch of the plan
  // was captured before. Thread-safe.
  void refresh_symbols() const noexcept;
  // Returns the steps for these very arguments, with everything that they point to. They can be launched again without
  // checks, by code of your own, or in a graph. `arguments` are those of launch(). The result has scratch memory of its
  // own, and a module of its own where there are variables. Throws what launch() and the copy constructor throw.
  template <typename... Arguments>
  ResolvedLaunch resolve(const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    return resolve_arguments(list);
  }
  ResolvedLaunch resolve_arguments(std::span<const PlanArgument> arguments) const;

  // Returns how many launches passed an array with a tensor map whose address is not the multiple of 16 that the map
  // needs. The kernel ran without that map. The dispatcher warns once. Launches of a ResolvedLaunch are not counted.
  std::uint64_t misaligned_launches() const noexcept { return misaligned_.load(std::memory_order_relaxed); }

  // Returns the configuration with the rung that it comes from, and why it was chosen.
  const Match& match() const noexcept;
  const Configuration& configuration() const noexcept { return match().configuration; }
  // Returns the complete problem that the plan was made for.
  const Problem& problem() const noexcept;

 private:
  friend class Dispatcher;
  explicit Plan(std::shared_ptr<const PlanParts> parts);
  std::shared_ptr<const PlanParts> parts_;            // shared by copies, unless they have variables
  mutable std::atomic<std::uint64_t> misaligned_{0};  // launches
};

template <typename T>
PlanArgument plan_argument(const T& value) {
  PlanArgument argument;
  if constexpr (requires {
                  typename T::element_type;
                  value.data();
                }) {
    argument = plan_argument(value.data());
    if constexpr (requires { value.size(); }) argument.count = value.size();
    argument.is_device = requires { typename T::is_device_memory; };
  } else if constexpr (requires {
                         *value.data();
                         value.size();
                       }) {
    argument = plan_argument(value.data());
    argument.kind = PlanArgument::Kind::values;
    argument.count = value.size();
  } else if constexpr (std::is_null_pointer_v<T>) {
    argument.set(static_cast<void*>(nullptr));
  } else if constexpr (std::is_pointer_v<T>) {
    using Element = std::remove_pointer_t<T>;
    argument.is_const = std::is_const_v<Element>;
    if constexpr (!std::is_void_v<Element>) argument.type = TypeOf<std::remove_cv_t<Element>>::name;
    argument.set(value);
  } else if constexpr (std::is_enum_v<T>) {
    argument = plan_argument(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_integral_v<T>) {
    argument.kind = PlanArgument::Kind::integer;
    argument.is_signed = std::is_signed_v<T>;
    argument.type = TypeOf<T>::name;
    argument.set(static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(value));
  } else {
    argument.type = TypeOf<T>::name;
    if constexpr (std::is_floating_point_v<T>) {
      argument.kind = PlanArgument::Kind::floating;
      argument.set(static_cast<double>(value));
    } else {
      argument.kind = PlanArgument::Kind::other;
      argument.set(value);
    }
  }
  return argument;
}

}  // namespace attune
