#include "subject/kernel_setup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/type_table.hpp"

namespace attune {
namespace {

// Throws Error unless the fill can make values of the type for this problem.
FillValues values_for(const KernelSpec& spec, const Argument& argument, const Bindings& problem,
                      std::string_view type) {
  const auto fail = [&](std::string_view reason) {
    throw Error(fmt::format("the fill of argument `{}` of {}: {} (problem {})", argument.name, spec.name, reason,
                            problem.text()));
  };
  FillValues values;
  try {
    values = fill_values(*argument.fill, {&problem, nullptr, nullptr});
  } catch (const ExpressionError& error) {
    fail(error.what());
  }
  if (const auto reason = misfit(values, type_named(type))) fail(*reason);
  return values;
}

// Returns the value while tuning of a scalar that neither the problem nor `value` gives.
Value scalar_fill(const KernelSpec& spec, const Argument& argument, const Problem& problem, std::string_view type,
                  std::uint64_t seed) {
  if (!argument.fill)
    throw Error(fmt::format("scalar argument `{}` of {} has neither a problem value, nor `value`, nor `fill`",
                            argument.name, spec.name));
  if (argument.fill->kind == FillKind::seed) {
    constexpr std::uint64_t positive = ~std::uint64_t{0} >> 1;
    return Value(static_cast<std::int64_t>(seed & positive));
  }
  const FillValues values = values_for(spec, argument, problem, type);
  const bool floating = type_named(type).type_class == TypeClass::floating;
  return floating ? Value(values.a) : Value(values.integer_a);
}

// `seed`: needed only for [[prepare]], because no other step may take a scalar that is filled with the seed.
StepsSetup steps_setup(const KernelSpec& spec, const Problem& problem, std::vector<ResolvedStep> steps,
                       std::vector<ResolvedArgument> arguments, const Image& image, std::uint64_t seed = 0) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    ResolvedArgument& argument = arguments[i];
    if (argument.role == Role::scalar && !argument.value)
      argument.value = scalar_fill(spec, spec.arguments[i], problem, argument.type, seed);
  }
  return {std::move(steps), image, step_arguments(spec, arguments), 0};
}

Tolerance tolerance_of(const KernelSpec& spec, const Argument& argument, const Scope& scope, std::uint64_t elements) {
  Tolerance tolerance;
  const auto apply = [&](const Check& check) {
    if (check.absolute) tolerance.absolute = check.absolute->real(scope, "[check] absolute of " + spec.name);
    if (check.relative) tolerance.relative = check.relative->real(scope, "[check] relative of " + spec.name);
    if (check.differing) {
      const std::string where = "[check] differing of " + spec.name;
      const std::int64_t differing = check.differing->integer(scope, where);
      if (differing < 0)
        throw Error(fmt::format("{}: {} is {}; expected 0 or more", where, check.differing->text(), differing));
      tolerance.differing = std::min(static_cast<std::uint64_t>(differing), elements - 1);  // one must be equal
    }
    if (check.allow_nonfinite) tolerance.allow_nonfinite = *check.allow_nonfinite;
  };
  apply(spec.check);
  if (const auto own = spec.argument_check.find(argument.name); own != spec.argument_check.end()) apply(own->second);
  return tolerance;
}

// Returns whether an argument is compared with the expected result. An output that [[reference]] does not use is not
// compared itself: only [[verify]] steps bring it into a form to compare.
bool is_compared(const KernelSpec& spec, const Argument& argument) {
  if (argument.role != Role::out && argument.role != Role::inout) return false;
  return spec.reference.empty() || use_argument(spec.reference, argument.name);
}

ArgumentSetup argument_setup(const KernelSpec& spec, const Argument& argument, const ResolvedArgument& resolved,
                             const Scope& scope) {
  ArgumentSetup setup;
  setup.name = argument.name;
  setup.type = resolved.type;
  setup.role = argument.role;
  setup.restore = argument.restore;
  setup.is_mapped = resolved.is_mapped;
  setup.by_value = argument.by_value;
  setup.count = resolved.count;
  setup.bytes = resolved.bytes;
  if (argument.fill && is_array(argument.role))
    setup.fill = values_for(spec, argument, *scope.problem, resolved.type);
  else
    setup.fill.full_range = type_named(resolved.type).type_class != TypeClass::floating;
  setup.is_compared = is_compared(spec, argument);
  if (setup.is_compared) setup.tolerance = tolerance_of(spec, argument, scope, setup.count);
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
    return steps_setup(spec, problem, resolve_steps(spec, steps, problem, configuration, device), arguments,
                       compile_steps(spec, steps, problem, configuration, device, compile, what), seed);
  };
  if (!spec.prepare.empty()) setup.prepare = made(spec.prepare, nullptr, "[[prepare]]");
  setup.reference = setup.self_checked ? made(spec.launch, &default_configuration,
                                              "the default configuration (there is no [[reference]])")
                                       : made(spec.reference, nullptr, "[[reference]]");
  return setup;
}

StepsSetup launch_setup(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                        const DeviceInfo& device) {
  std::vector<ResolvedStep> steps = resolve_steps(spec, spec.launch, problem, &configuration, device);
  std::vector<ResolvedStep> verify = resolve_steps(spec, spec.verify, problem, &configuration, device);
  std::move(verify.begin(), verify.end(), std::back_inserter(steps));
  StepsSetup setup =
      steps_setup(spec, problem, std::move(steps), resolve_arguments(spec, problem, &configuration, device), {});
  setup.untimed = verify.size();
  return setup;
}

std::vector<LaunchShape> timed_shapes(const StepsSetup& setup) {
  std::vector<LaunchShape> shapes;
  for (std::size_t i = 0; i + setup.untimed < setup.steps.size(); ++i)
    if (setup.steps[i].kind == StepKind::launch) shapes.push_back(setup.steps[i].shape);
  return shapes;
}

}  // namespace attune
