// Instantiation: from a kernel, a problem, a configuration and a device to what is compiled and launched. Pure.
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

// An argument for a problem and a configuration.
struct ResolvedArgument {
  std::string type;  // a concrete type name
  Role role = Role::scalar;
  std::uint64_t count = 1;  // elements; arrays
  std::uint64_t bytes = 0;  // arrays: count * size of type; scalars: size of type
  // scalars whose value the problem or `value` gives; absent: the application passes it
  std::optional<Value> value;
};

// "transpose<T, TILE>" -> "transpose<float, 32>": names inside <...> are replaced as text, types by their C++
// spelling. Text outside <...> is left alone.
std::string instantiate_entry(std::string_view entry, const Scope& scope);

// The steps to run, in order. Throws Error naming step, kernel, problem and configuration when an expression is
// undefined or a grid, block or shared size is out of the device's limits (a grid of 0 is).
// `configuration` is null for reference and prepare steps, which mention problem names only.
std::vector<ResolvedStep> resolve_steps(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                                        const Configuration* configuration, const DeviceInfo& device);

// Every argument of the kernel, in order. Sizes and values may use problem names and parameters (scratch sizes).
// Throws Error when one is undefined, negative, does not fit its type, or exceeds 2^62 bytes.
// Without a configuration, arrays whose size mentions a parameter have 0 elements, and scalars whose `value` does have
// none.
std::vector<ResolvedArgument> resolve_arguments(const KernelSpec& spec, const Problem& problem,
                                                const Configuration* configuration, const DeviceInfo& device);

// What to compile for the steps: their entries (each once, sorted) and the options that the configuration implies;
// without one, options that mention parameters are left out. Throws Error when an option cannot be resolved or the
// kernel requires another architecture than the device's.
ImageRequest image_request(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                           const Configuration* configuration, const DeviceInfo& device);

// A scalar in the bytes of its type, little-endian, zeros behind; floating types round to nearest even. Throws Error
// when the value does not fit ("300 does not fit int8").
std::array<std::byte, 16> encode_scalar(const Value& value, std::string_view type);

}  // namespace attune
