#include "worker/trial_setup.hpp"

#include <fmt/format.h>

#include "core/type_table.hpp"

namespace attune {
namespace {

Value scalar_fill(const KernelSpec& spec, const Argument& argument, std::string_view type) {
  if (!argument.fill)
    throw Error(fmt::format("scalar argument `{}` of {} has neither a problem value, nor `value`, nor `fill`",
                            argument.name, spec.name));
  const bool floating = type_named(type).type_class == TypeClass::floating;
  return floating ? Value(argument.fill->a) : Value(argument.fill->integer_a);
}

StepsSetup steps_setup(const KernelSpec& spec, std::vector<ResolvedStep> steps, std::vector<ResolvedArgument> arguments,
                       const Image& image) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ResolvedArgument& argument = arguments[i];
    if (argument.role == Role::scalar && !argument.value)
      argument.value = scalar_fill(spec, spec.arguments[i], argument.type);
  }
  return {std::move(steps), image, step_arguments(spec, arguments)};
}

Tolerance tolerance_of(const KernelSpec& spec, const Argument& argument, const Scope& scope) {
  Tolerance tolerance;
  const auto apply = [&](const Check& check) {
    if (check.absolute) tolerance.absolute = check.absolute->real(scope, "[check] absolute of " + spec.name);
    if (check.relative) tolerance.relative = check.relative->real(scope, "[check] relative of " + spec.name);
    if (check.allow_nonfinite) tolerance.allow_nonfinite = *check.allow_nonfinite;
  };
  apply(spec.check);
  if (const auto own = spec.argument_check.find(argument.name); own != spec.argument_check.end()) apply(own->second);
  return tolerance;
}

ArgumentSetup argument_setup(const KernelSpec& spec, const Argument& argument, const ResolvedArgument& resolved,
                             const Scope& scope) {
  ArgumentSetup setup;
  setup.name = argument.name;
  setup.type = resolved.type;
  setup.role = argument.role;
  setup.restore = argument.restore;
  setup.count = resolved.count;
  setup.bytes = resolved.bytes;
  setup.fill = argument.fill.value_or(Fill{});
  if (!argument.fill) setup.fill.full_range = type_named(resolved.type).type_class != TypeClass::floating;
  if (argument.role == Role::out || argument.role == Role::inout) setup.tolerance = tolerance_of(spec, argument, scope);
  return setup;
}

Image compile_steps(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                    const Configuration* configuration, const DeviceInfo& device, const CompileOne& compile,
                    const std::string& what) {
  const ImageRequest request = image_request(spec, steps, problem, configuration, device);
  const CompileOutcome outcome = compile(request);
  if (outcome.image) return *outcome.image;
  throw ReferenceDoesNotCompile(
      fmt::format("{} of {} for {} does not compile:\n{}", what, spec.name, problem.text(), outcome.log));
}

}  // namespace

TrialSetup trial_setup(const KernelSpec& spec, const Problem& problem, const Configuration& default_configuration,
                       const DeviceInfo& device, const CompileOne& compile, std::uint64_t seed) {
  TrialSetup setup;
  setup.kernel = spec.name;
  setup.problem = problem.text();
  setup.self_checked = spec.reference.empty();
  setup.seed = seed;
  const std::vector<ResolvedArgument> arguments = resolve_arguments(spec, problem, &default_configuration, device);
  const Scope scope{&problem, nullptr, &device};
  for (std::size_t i = 0; i < arguments.size(); ++i)
    setup.arguments.push_back(argument_setup(spec, spec.arguments[i], arguments[i], scope));
  const auto made = [&](std::span<const Step> steps, const Configuration* configuration, const std::string& what) {
    return steps_setup(spec, resolve_steps(spec, steps, problem, configuration, device), arguments,
                       compile_steps(spec, steps, problem, configuration, device, compile, what));
  };
  if (!spec.prepare.empty()) setup.prepare = made(spec.prepare, nullptr, "[[prepare]]");
  setup.reference = setup.self_checked
                        ? made(spec.launch, &default_configuration, "the default configuration (there is no [[reference]])")
                        : made(spec.reference, nullptr, "[[reference]]");
  return setup;
}

InstanceLaunch instance_launch(const KernelSpec& spec, const Instance& instance, const Image& image, int attempt) {
  return {instance.id, instance.text, attempt, steps_setup(spec, instance.steps, instance.arguments, image)};
}

}  // namespace attune
