#include "kernel/parameter_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/tensor_layout.hpp"

namespace attune {
namespace {

// The texts of a parameter's bytes and of what its address is a multiple of.
struct Laid {
  std::string bytes, alignment;
};

Laid laid_out(const Argument& argument) {
  if (argument.role == Role::map) return {std::to_string(tensor_map_bytes), std::to_string(tensor_map_alignment)};
  const std::string element = fmt::format("sizeof({})", argument.type);
  if (argument.role == Role::scalar) return {element, element};
  if (argument.by_value) return {fmt::format("({}) * {}", argument.size->text(), element), element};
  return {std::to_string(sizeof(void*)), std::to_string(alignof(void*))};
}

// Returns how many bytes the device takes, and on what that depends.
std::string limit_text(const DeviceInfo& device) {
  const std::int64_t limit = device.max_parameter_bytes();
  if (limit == most_parameter_bytes) return fmt::format("a launch takes {}", limit);
  if (device.compute_capability < 70)
    return fmt::format("{} takes {}; sm_70 and newer take {}", device.architecture(), limit, most_parameter_bytes);
  return fmt::format("a driver of CUDA {}.{} takes {}; one of CUDA 12.1 or newer takes {}",
                     device.driver_cuda_version / 1000, device.driver_cuda_version % 1000 / 10, limit,
                     most_parameter_bytes);
}

}  // namespace

std::optional<Expression> parameter_bytes(const KernelSpec& spec, const Step& step) {
  const auto is_large = [&](const std::string& name) {
    const Argument* const argument = spec.find_argument(name);
    return argument != nullptr && (argument->by_value || argument->role == Role::map);
  };
  if (std::none_of(step.arguments.begin(), step.arguments.end(), is_large)) return std::nullopt;
  std::string text = "0";
  for (const std::string& name : step.arguments) {
    const Argument* const argument = spec.find_argument(name);
    if (argument == nullptr) return std::nullopt;  // reported elsewhere
    const Laid parameter = laid_out(*argument);
    text = fmt::format("round_up({}, {}) + {}", text, parameter.alignment, parameter.bytes);
  }
  return Expression(text);
}

void check_parameter_bytes(const KernelSpec& spec, const Step& step, const Scope& scope, const std::string& where) {
  const std::optional<Expression> bytes = parameter_bytes(spec, step);
  if (!bytes) return;
  const std::int64_t needed = bytes->integer(scope, where + " arguments");
  if (needed > scope.device->max_parameter_bytes())
    throw Error(fmt::format("{}: its parameters have {} bytes; {}", where, needed, limit_text(*scope.device)));
}

}  // namespace attune
