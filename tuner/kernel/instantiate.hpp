// Instantiation: from a kernel, a problem, a configuration and a device, makes what is compiled and launched. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "core/image.hpp"
#include "core/launch_shape.hpp"
#include "core/tensor_layout.hpp"
#include "core/type_table.hpp"

namespace attune {

// A step whose `when` holds, with every expression evaluated.
struct ResolvedStep {
  StepKind kind = StepKind::launch;
  std::string expression;  // launch: the instantiated entry
  LaunchShape shape;
  std::vector<std::size_t> arguments;  // launch: positions in spec.arguments
  std::size_t memset_argument = 0;     // memset: position in spec.arguments
  int memset_value = 0;
};

// A tensor map for a problem and a configuration.
struct ResolvedMap {
  std::size_t array = 0;  // position in spec.arguments
  TensorLayout layout;
};

// An argument for a problem and a configuration.
struct ResolvedArgument {
  std::string type;  // a concrete type name; maps: the type of the array's elements
  Role role = Role::scalar;
  std::uint64_t count = 1;  // elements; arrays
  std::uint64_t bytes = 0;  // arrays: count * size of type; scalars: size of type; maps: size of the map
  // scalars: the value from the problem or from `value`; absent: the application passes it
  std::optional<Value> value;
  bool is_mapped = false;   // arrays: in host memory
  std::string symbol = {};  // arrays: the address of the variable that holds it, "&filter<float>"; "": a parameter
  bool by_value = false;    // arrays: the kernel gets the elements as a parameter
  std::optional<ResolvedMap> map = {};  // absent: no map, or one whose `when` is false: zeros
};

// Returns "transpose<float, 32>" for "transpose<T, TILE>". Names inside <...> are replaced by the text of their values,
// types by their C++ spelling. Text outside <...> stays.
std::string instantiate_entry(std::string_view entry, const Scope& scope);

// Returns the steps to run, in order. Throws Error naming step, kernel, problem and configuration when an expression is
// undefined, when a grid, block or shared size exceeds the device's limits, and when a grid is 0. `configuration` is
// null for reference and prepare steps, which use problem names only. Returns none for a problem that launches nothing.
std::vector<ResolvedStep> resolve_steps(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                                        const Configuration* configuration, const DeviceInfo& device);

// Returns whether a step passes the argument to its entry, or sets it (memset).
bool use_argument(std::span<const Step> steps, std::string_view argument);
// Returns whether a step does that with the argument or with a tensor map of it.
bool use_argument(const KernelSpec& spec, std::span<const Step> steps, std::string_view argument);

// Returns the type of an argument, which the problem may choose.
const TypeInfo& concrete_type(const Argument& argument, const Bindings& problem);

// Returns every argument of the kernel, in order. Sizes and values use problem names; values and scratch sizes may use
// parameters and the device too. Throws Error when a size or value is undefined, negative, does not fit its type, or
// exceeds 2^62 bytes, and when a tensor map breaks a limit. Without a configuration, arrays whose size depends on a
// parameter have 0 elements, scalars that depend on a parameter have no value, and there are no tensor maps. For a
// problem that launches nothing, arrays whose size is negative or undefined have 0 elements, and `value` gives no
// value.
std::vector<ResolvedArgument> resolve_arguments(const KernelSpec& spec, const Problem& problem,
                                                const Configuration* configuration, const DeviceInfo& device);

// Returns whether the device has the architecture that a kernel file requires: "sm_90" or a variant "sm_90a" of it.
bool has_architecture(const DeviceInfo& device, std::string_view required);

// Returns what to compile for the steps: their entries (each once, sorted) and the options of the configuration.
// Without a configuration, options that mention parameters are left out. Throws Error when an option cannot be resolved
// or the kernel requires another architecture.
ImageRequest image_request(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                           const Configuration* configuration, const DeviceInfo& device);
// Returns the request for [[launch]] and [[verify]] together. An application never launches [[verify]] steps, but
// shares the image with tuning.
ImageRequest launch_image_request(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                                  const DeviceInfo& device);
// Returns the same request with an empty source, because sources are large.
ImageRequest sourceless_launch_request(const KernelSpec& spec, const Problem& problem,
                                       const Configuration& configuration, const DeviceInfo& device);

// Returns a scalar in the bytes of its type, little-endian, padded with zeros. Floating types round to nearest even.
// Throws Error when the value does not fit ("300 does not fit int8").
std::array<std::byte, 16> encode_scalar(const Value& value, std::string_view type);

}  // namespace attune
