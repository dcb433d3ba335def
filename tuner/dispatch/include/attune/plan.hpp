// Plan: a configuration, its loaded image and its launch shapes, ready. Dispatcher::plan() makes it; the Dispatcher
// must outlive it. Cheap to copy: copies share all, except variables (`symbol`). Any number of threads may launch one
// plan at once, each with arguments of its own. Scratch memory is of the stream that a launch is on.
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

// One argument as the application passes it. It views its type's name: make and use it within one call.
struct PlanArgument {
  // values: the elements of an object in host memory (std::array, std::vector), which `bytes` points to
  enum class Kind : std::uint8_t { pointer, values, integer, floating, other };
  static constexpr std::uint64_t unknown_count = ~std::uint64_t{0};

  Kind kind = Kind::pointer;
  bool is_signed = false;  // integers
  bool is_const = false;   // pointers: to const elements
  bool is_device = false;  // pointers: of a Buffer, so to device memory
  std::string_view type;   // attune's name of the value's type; pointers: of the element type, "" for void*
  std::uint64_t count = unknown_count;  // elements of a pointer's array, where the argument holds it (Buffer)
  // The value: a pointer; an integer, widened to 64 bits; a floating-point value, as a double; others verbatim.
  alignas(16) std::array<std::byte, 16> bytes{};

  template <typename T>
  void set(const T& value) noexcept {
    static_assert(sizeof(T) <= 16 && std::is_trivially_copyable_v<T>);
    std::memcpy(bytes.data(), &value, sizeof value);
  }
};

// Makes an argument of a C++ value. Pointers, integers, enumerations, float, double and structs with a TypeOf name
// (half, float4, ...) convert. A class with element_type and data(), such as Buffer<T>, passes data(). Another class
// with data() and size(), such as std::array, is the elements of an array by value.
template <typename T>
PlanArgument plan_argument(const T& value);

class Plan {
 public:
  // Shares all and allocates nothing. Only variables (`symbol`) are of a module that is loaded anew: then it throws
  // Error when the driver refuses that.
  Plan(const Plan& other);
  Plan(Plan&&) noexcept;
  Plan& operator=(Plan) noexcept;
  ~Plan();

  // Enqueues every step of the plan on `stream`; null is the default stream. On the host device the work is done on
  // return. `arguments` stand in the order of [arguments], less scratch, tensor maps, and what attune computes.
  // Throws UsageError, before anything reaches the driver, for a wrong count, kind or element type. It does so too for
  // a null array, a too small array, or a scalar beyond its type. A scalar with the name of a problem
  // value must equal the plan's. Throws Error when the driver refuses the launch, OutOfMemory when there is no room for
  // scratch memory at the first launch on a stream, or in a capture. What converts, and graphs: docs/dispatch.md.
  // Thread-safe. With variables, launches take turns, and are on one stream at a time.
  template <typename... Arguments>
  void launch(StreamHandle stream, const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    launch_arguments(stream, list);
  }
  void launch_arguments(StreamHandle stream, std::span<const PlanArgument> arguments) const;

  // Says that the content of arrays with a `symbol` changed: the next launch uploads them again. Without it, a launch
  // uploads them when their addresses are not those of the plan's last launch, or the plan is in a graph. Thread-safe.
  void refresh_symbols() const noexcept;
  // Returns the steps for these very arguments, with all that they point to: to launch them again without a check, from
  // code of your own, or in a graph. `arguments` are those of launch(). Allocates scratch memory of its own, and loads
  // a module of its own where there are variables. Throws as launch() and the copy constructor do.
  template <typename... Arguments>
  ResolvedLaunch resolve(const Arguments&... arguments) const {
    const std::array<PlanArgument, sizeof...(Arguments)> list{plan_argument(arguments)...};
    return resolve_arguments(list);
  }
  ResolvedLaunch resolve_arguments(std::span<const PlanArgument> arguments) const;

  // Returns how many launches passed an array whose address is no multiple of 16, as its tensor map needs. The kernel
  // then ran without that map. The dispatcher warns once. Launches of a ResolvedLaunch are not counted.
  std::uint64_t misaligned_launches() const noexcept { return misaligned_.load(std::memory_order_relaxed); }

  const Match& match() const noexcept;
  const Configuration& configuration() const noexcept { return match().configuration; }
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
