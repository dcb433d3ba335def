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

// Returns why a device takes less than others, for the end of a sentence.
std::string_view why_less(const DeviceInfo& device) {
  return device.compute_capability < 70 ? ", because the GPU is older than sm_70"
                                        : ", because the driver is older than CUDA 12.1; newer ones take 32764";
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
  const std::int64_t limit = scope.device->max_parameter_bytes();
  if (needed > limit)
    throw Error(fmt::format("{}: its parameters have {} bytes; a launch takes {}{}", where, needed, limit,
                            limit < most_parameter_bytes ? why_less(*scope.device) : ""));
}

}  // namespace attune
