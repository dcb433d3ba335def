#include "kernel/instantiate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attune/error.hpp"
#include "base/near_name.hpp"
#include "core/type_table.hpp"
#include "kernel/argument_checks.hpp"
#include "kernel/empty_problem.hpp"
#include "kernel/include_option.hpp"
#include "kernel/parameter_bytes.hpp"
#include "kernel/substitute.hpp"

namespace attune {
namespace {

// The inputs of all expressions, and their text in messages.
struct Request {
  const KernelSpec& spec;
  const Problem& problem;
  const Configuration* configuration;
  const DeviceInfo& device;

  Scope scope() const { return {&problem, configuration, &device}; }
  // Returns "kernel `transpose`, step 1 `transpose<T, TILE>`, width=8192 T=float, TILE=32".
  std::string where(std::string_view what) const {
    std::string text = fmt::format("kernel `{}`, {}", spec.name, what);
    if (!problem.empty()) text += ", problem " + problem.text();
    if (configuration != nullptr && !configuration->empty()) text += ", configuration " + configuration->text();
    return text;
  }
};

std::string step_label(const Step& step, std::size_t number) {
  if (step.kind == StepKind::memset) return fmt::format("step {} `memset {}`", number + 1, step.memset_argument);
  return fmt::format("step {} `{}`", number + 1, step.entry);
}

// Returns whether a condition of the step holds. Throws Error when it is undefined.
bool holds(const Request& request, const Expression& condition, const std::string& label, std::string_view what) {
  const auto result = condition.evaluate(request.scope());
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Error(fmt::format("{}: {}: {}: {}", request.where(label), what, condition.text(), undefined->reason));
  }
  return condition.holds(request.scope());
}

bool applies(const Request& request, const Step& step, const std::string& label) {
  return !step.when || holds(request, *step.when, label, "when");
}

// Remembers of the preceding step whether it is a launch that runs, so that the next step may overlap it.
class StepBefore {
 public:
  // Returns whether the next step, `step`, runs. A step that does not run cannot be overlapped.
  bool runs_next(const Request& request, const Step& step, const std::string& label) {
    const bool runs = applies(request, step, label);
    is_launch_ = is_launch_ && runs;
    return runs;
  }
  // Returns whether the next step, `step`, overlaps the one before it. Devices below sm_90 run steps one after the
  // other.
  bool is_overlapped_by(const Request& request, const Step& step, const std::string& label) {
    const bool follows = is_launch_;
    is_launch_ = step.kind == StepKind::launch;
    const bool can = request.device.kind == "cuda" && request.device.compute_capability >= 90;
    return step.overlap && follows && can && holds(request, *step.overlap, label, "overlap");
  }

 private:
  bool is_launch_ = false;
};

// The launch's arguments against the entry's parameters, for the compiler.
std::string checks_of(const Request& request, const Step& step, const std::string& entry) {
  std::vector<PassedArgument> passed;
  for (const std::string& name : step.arguments) {
    const Argument* const argument = request.spec.find_argument(name);
    if (argument == nullptr) return "";  // reported where the step is resolved
    if (argument->role == Role::map) {
      passed.push_back({name, "", Passing::map});
      continue;
    }
    const TypeInfo& type = concrete_type(*argument, request.problem);
    if (argument->by_value) {
      const auto count = argument->size->integer(request.scope(), request.where("argument `" + name + "` size"));
      passed.push_back({name, type.name, Passing::values, count});
      continue;
    }
    // Scratch memory is the kernel's own: the type of its elements does not matter.
    const std::string_view element = argument->role == Role::scratch ? "uint8" : type.element;
    passed.push_back({name, element, is_array(argument->role) ? Passing::array : Passing::scalar});
  }
  return argument_checks(entry, passed, step.entry_line);
}

std::size_t argument_position(const Request& request, std::string_view name, const std::string& label) {
  const auto& arguments = request.spec.arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].name == name) return i;
  }
  std::vector<std::string> known;
  for (const auto& argument : arguments) known.push_back(argument.name);
  throw Error(fmt::format("{}: no argument `{}`{}", request.where(label), name, suggestion(name, known)));
}

// Evaluates up to three dimensions, each from 1 to the device's limit for it.
std::array<std::uint32_t, 3> dimensions(const Request& request, const std::vector<Expression>& expressions,
                                        const std::array<std::int64_t, 3>& limits, const std::string& what) {
  constexpr std::string_view axes = "xyz";
  std::array<std::uint32_t, 3> result = {1, 1, 1};
  if (expressions.size() > result.size()) throw Error(fmt::format("{}: more than 3 dimensions", request.where(what)));
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::string label = request.where(fmt::format("{}.{}", what, axes[i]));
    const std::int64_t size = expressions[i].integer(request.scope(), label);
    if (size < 1 || size > limits[i]) {
      throw Error(fmt::format("{}: {} is {}; the device takes 1 to {}", label, expressions[i].text(), size, limits[i]));
    }
    result[i] = static_cast<std::uint32_t>(size);
  }
  return result;
}

// Evaluates the dimensions of a cluster for this grid, each of which it divides.
void set_cluster(const Request& request, const Step& step, const std::string& label, LaunchShape& shape) {
  const auto most = static_cast<std::int64_t>(request.device.max_cluster());
  shape.cluster = dimensions(request, step.cluster, {most, most, most}, label + " cluster");
  const std::string where = request.where(label + " cluster");
  if (shape.cluster_blocks() > most)
    throw Error(fmt::format("{}: {} blocks; the device takes {}", where, shape.cluster_blocks(), most));
  for (std::size_t i = 0; i < shape.cluster.size(); ++i) {
    if (shape.grid[i] % shape.cluster[i] == 0) continue;
    throw Error(fmt::format("{}.{}: {} does not divide the grid of {} blocks", where, "xyz"[i], shape.cluster[i],
                            shape.grid[i]));
  }
}

LaunchShape launch_shape(const Request& request, const Step& step, const std::string& label) {
  LaunchShape shape;
  shape.grid = dimensions(request, step.grid, request.device.max_grid, label + " grid");
  if (!step.cluster.empty()) set_cluster(request, step, label, shape);
  shape.block = dimensions(request, step.block, request.device.max_block, label + " block");
  // Each factor is below 2^32 and the first two below 2^16 on every device: no overflow in 64 bits.
  const std::uint64_t threads = std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2];
  if (threads > static_cast<std::uint64_t>(request.device.max_threads_per_block)) {
    throw Error(fmt::format("{}: {} threads in a block; the device takes {}", request.where(label + " block"), threads,
                            request.device.max_threads_per_block));
  }
  if (!step.shared) return shape;
  const std::string where = request.where(label + " shared");
  const std::int64_t bytes = step.shared->integer(request.scope(), where);
  const auto limit = static_cast<std::int64_t>(request.device.shared_per_block);
  if (bytes < 0 || bytes > limit) {
    throw Error(fmt::format("{}: {} is {} bytes; the device takes 0 to {}", where, step.shared->text(), bytes, limit));
  }
  shape.shared_bytes = static_cast<std::uint64_t>(bytes);
  return shape;
}

ResolvedStep resolve_step(const Request& request, const Step& step, const std::string& label) {
  ResolvedStep resolved;
  resolved.kind = step.kind;
  if (step.kind == StepKind::memset) {
    resolved.memset_argument = argument_position(request, step.memset_argument, label);
    resolved.memset_value = step.memset_value;
    return resolved;
  }
  resolved.expression = instantiate_entry(step.entry, request.scope());
  resolved.shape = launch_shape(request, step, label);
  resolved.shape.cooperative = step.cooperative && holds(request, *step.cooperative, label, "cooperative");
  check_parameter_bytes(request.spec, step, request.scope(), request.where(label));
  for (const auto& name : step.arguments) resolved.arguments.push_back(argument_position(request, name, label));
  return resolved;
}

// Adds the variables that hold arguments: inputs, and scratch memory that a running step uses.
void add_symbols(const Request& request, std::span<const Step* const> running, ImageRequest& result) {
  const auto is_used = [&](const Argument& argument) {
    return std::ranges::any_of(running, [&](const Step* step) { return use_argument({step, 1}, argument.name); });
  };
  for (const Argument& argument : request.spec.arguments) {
    if (argument.symbol.empty() || (argument.role == Role::scratch && !is_used(argument))) continue;
    const std::string variable = instantiate_entry(argument.symbol, request.scope());
    result.expressions.push_back("&" + variable);
    if (argument.role == Role::in)  // scratch memory may have elements of any type
      result.checks += variable_check(variable, argument.name, concrete_type(argument, request.problem).element);
  }
}

void sort_once(std::vector<std::string>& texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
}

// Returns the types that the problem names and those of the arguments.
std::vector<const TypeInfo*> concrete_types(const KernelSpec& spec, const Problem& problem) {
  std::vector<const TypeInfo*> types;
  const auto add = [&](const TypeInfo* type) {
    if (type != nullptr) types.push_back(type);
  };
  for (const auto& binding : problem) {
    if (binding.value.is_name()) add(find_type(binding.value.name()));
  }
  for (const auto& argument : spec.arguments) add(find_type(argument.type));
  return types;
}

// Returns the problem's values and the parameters that the kernel file passes as macros.
std::vector<Macro> macros_of(const Request& request) {
  std::vector<Macro> macros;
  const auto define = [&](const std::string& name, const Value& value) {
    macros.push_back({name, source_text(value)});
  };
  const Defines defines = request.spec.compile.defines;
  if (defines == Defines::all)
    for (const Binding& binding : request.problem) define(binding.name, binding.value);
  if (defines != Defines::none && request.configuration != nullptr) {
    for (const Binding& binding : *request.configuration) define(binding.name, binding.value);
  } else if (defines == Defines::parameters) {
    for (const Parameter& parameter : request.spec.parameters) define(parameter.name, parameter.values.front());
  }
  return macros;
}

std::vector<std::string> resolve_options(const Request& request) {
  const auto& [spec, problem, configuration, device] = request;
  std::vector<std::string> options;
  for (const auto& text : spec.compile.options) {
    const OptionTemplate option = parse_option(text);
    if (configuration == nullptr) {  // prepare and reference steps: the search does not choose their options
      const auto is_parameter = [&](const std::string& name) { return request.spec.find_parameter(name) != nullptr; };
      const bool tunable = std::any_of(option.names.begin(), option.names.end(), is_parameter) ||
                           (option.condition && std::any_of(option.condition->names().begin(),
                                                            option.condition->names().end(), is_parameter));
      if (tunable) continue;
    }
    if (auto resolved = instantiate_option(option, request.scope()))
      options.push_back(placed_include(*resolved, spec.folder));
  }
  const auto types = concrete_types(spec, problem);
  const auto uses = [&](std::string_view element) {
    return std::any_of(types.begin(), types.end(), [&](const TypeInfo* type) { return type->element == element; });
  };
  if (uses("half")) options.emplace_back("-DATTUNE_HALF=1");
  if (uses("bfloat16")) options.emplace_back("-DATTUNE_BFLOAT16=1");
  return options;
}

// Returns whether this configuration needs the architecture that the kernel requires. Prepare and reference steps have
// no configuration, so that a condition that names parameters does not hold for them.
bool requires_architecture(const Request& request) {
  const CompileOptions& compile = request.spec.compile;
  if (compile.requires_architecture.empty() || !compile.requires_where) return !compile.requires_architecture.empty();
  const auto& names = compile.requires_where->names();
  const bool lacks = request.configuration == nullptr && std::any_of(names.begin(), names.end(), [&](const auto& name) {
                       return request.spec.find_parameter(name) != nullptr;
                     });
  return !lacks && compile.requires_where->holds(request.scope());
}

// Returns "sm_90a" where the kernel requires it and the device is an sm_90.
std::string target_architecture(const Request& request) {
  const std::string& required = request.spec.compile.requires_architecture;
  if (!requires_architecture(request)) return request.device.architecture();
  if (has_architecture(request.device, required)) return required;
  throw Error(fmt::format("kernel `{}` requires {}; {} is {}", request.spec.name, required, request.device.name,
                          request.device.architecture()));
}

ImageRequest sourceless_request(const Request& request, std::span<const Step> steps) {
  ImageRequest result;
  StepBefore before;
  std::vector<const Step*> running;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string label = step_label(steps[i], i);
    if (!before.runs_next(request, steps[i], label)) continue;
    running.push_back(&steps[i]);
    const bool overlaps = before.is_overlapped_by(request, steps[i], label);
    if (steps[i].kind != StepKind::launch) continue;
    result.expressions.push_back(instantiate_entry(steps[i].entry, request.scope()));
    if (overlaps) result.waiting.push_back(result.expressions.back());
    const std::string checks = checks_of(request, steps[i], result.expressions.back());
    if (result.checks.find(checks) == std::string::npos) result.checks += checks;  // the same step may occur twice
  }
  add_symbols(request, running, result);
  sort_once(result.expressions);
  sort_once(result.waiting);
  try {
    result.options = resolve_options(request);
    result.macros = macros_of(request);
    if (request.spec.compile.defines_before)  // and as lines, which a definition of the file's own cannot undo
      for (const Macro& macro : result.macros)
        result.options.push_back(fmt::format("-D{}={}", macro.name, macro.value));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", request.where("[compile]"), error.what()));
  }
  result.architecture = target_architecture(request);
  result.ignores_host_code = request.spec.compile.ignores_host_code;
  if (result.ignores_host_code && request.device.kind == "host")
    throw Error(fmt::format(
        "kernel `{}` has host code, which its file lets attune ignore ([compile] host_code); the host device compiles "
        "whole files, so that this kernel needs a GPU: --device cuda:0, or `attune check FILE.cu --device sm_90`",
        request.spec.name));
  return result;
}

}  // namespace

bool use_argument(std::span<const Step> steps, std::string_view argument) {
  return std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const bool is_set = step.kind == StepKind::memset && step.memset_argument == argument;
    return is_set || std::find(step.arguments.begin(), step.arguments.end(), argument) != step.arguments.end();
  });
}

bool use_argument(const KernelSpec& spec, std::span<const Step> steps, std::string_view argument) {
  return use_argument(steps, argument) ||
         std::any_of(spec.arguments.begin(), spec.arguments.end(), [&](const Argument& other) {
           return other.tiles && other.tiles->array == argument && use_argument(steps, other.name);
         });
}

bool has_architecture(const DeviceInfo& device, std::string_view required) {
  const std::string own = device.architecture();
  if (!required.starts_with(own)) return false;
  const std::string_view suffix = required.substr(own.size());
  return suffix.empty() || suffix == "a" || suffix == "f";
}

ImageRequest launch_image_request(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                                  const DeviceInfo& device) {
  ImageRequest request = sourceless_launch_request(spec, problem, configuration, device);
  request.source = spec.source;
  return request;
}

ImageRequest sourceless_launch_request(const KernelSpec& spec, const Problem& problem,
                                       const Configuration& configuration, const DeviceInfo& device) {
  const Request request{spec, problem, &configuration, device};
  if (spec.verify.empty()) return sourceless_request(request, spec.launch);
  std::vector<Step> steps = spec.launch;
  steps.insert(steps.end(), spec.verify.begin(), spec.verify.end());
  return sourceless_request(request, steps);
}

std::vector<ResolvedStep> resolve_steps(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                                        const Configuration* configuration, const DeviceInfo& device) {
  if (launches_nothing(spec, problem)) return {};
  const Request request{spec, problem, configuration, device};
  std::vector<ResolvedStep> resolved;
  StepBefore before;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::string label = step_label(steps[i], i);
    if (!before.runs_next(request, steps[i], label)) continue;
    resolved.push_back(resolve_step(request, steps[i], label));
    resolved.back().shape.overlaps = before.is_overlapped_by(request, steps[i], label);
  }
  return resolved;
}

ImageRequest image_request(const KernelSpec& spec, std::span<const Step> steps, const Problem& problem,
                           const Configuration* configuration, const DeviceInfo& device) {
  ImageRequest result = sourceless_request({spec, problem, configuration, device}, steps);
  result.source = spec.source;
  return result;
}

}  // namespace attune
