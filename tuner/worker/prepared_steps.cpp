#include "worker/prepared_steps.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"

namespace attune {

Status PreparedSteps::prepare(Device& device, const ProblemData& data, const std::vector<ResolvedStep>& steps,
                              const Configuration& configuration, const Image& image, PreparedSteps& prepared) {
  const KernelSpec& spec = data.spec();
  const std::vector<ResolvedArgument> arguments =
      resolve_arguments(spec, data.problem(), &configuration, device.info());
  LoadOutcome loaded = device.load(image);
  if (!loaded.status.ok()) return loaded.status;

  PreparedSteps made;
  made.module_ = std::move(loaded.module);
  made.arrays_.resize(arguments.size());
  made.scalars_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    made.arrays_[i] = data.array(i);
    if (arguments[i].role == Role::scalar) made.scalars_[i] = data.scalar(i, arguments[i]);
  }
  if (Status status = made.allocate_scratch(device, spec, arguments); !status.ok()) return status;
  for (const ResolvedStep& step : steps) {
    if (step.kind == StepKind::memset) {
      made.bind_memset(step, arguments);
      continue;
    }
    if (Status status = made.bind_launch(step); !status.ok()) return status;
  }
  prepared = std::move(made);  // moving a vector or a deque keeps the addresses of its elements
  return {};
}

Status PreparedSteps::allocate_scratch(Device& device, const KernelSpec& spec,
                                       const std::vector<ResolvedArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].role != Role::scratch) continue;
    try {
      scratch_.push_back({i, DeviceMemory(device, arguments[i].bytes, Guards::of_output)});
    } catch (const OutOfMemory& error) {
      return {Verdict::out_of_memory, fmt::format("scratch `{}`: {}", spec.arguments[i].name, error.what()), false};
    }
    DeviceMemory& memory = scratch_.back().memory;
    memory.arm_guards();
    Operation zero;
    zero.kind = Operation::Kind::memset;
    zero.target = memory.data();
    zero.bytes = memory.bytes();
    if (Status status = device.enqueue(zero, nullptr); !status.ok()) return status;
    arrays_[i] = memory.data();
  }
  return {};
}

Status PreparedSteps::bind_launch(const ResolvedStep& step) {
  Operation launch;
  launch.kind = Operation::Kind::launch;
  launch.shape = step.shape;
  Status status;
  launch.function = module_->function(step.expression, step.shape, status);
  if (!status.ok()) return status;
  std::vector<void*>& list = parameters_.emplace_back();
  for (const std::size_t argument : step.arguments)
    list.push_back(arrays_[argument] != nullptr ? static_cast<void*>(&arrays_[argument])
                                                : static_cast<void*>(scalars_[argument].data()));
  launch.parameters = list.data();
  operations_.push_back(launch);
  return {};
}

void PreparedSteps::bind_memset(const ResolvedStep& step, const std::vector<ResolvedArgument>& arguments) {
  Operation operation;
  operation.kind = Operation::Kind::memset;
  operation.target = arrays_[step.memset_argument];
  operation.bytes = arguments[step.memset_argument].bytes;
  operation.value = step.memset_value;
  operations_.push_back(operation);
}

Status PreparedSteps::run(Device& device) const {
  for (const Operation& operation : operations_)
    if (Status status = device.enqueue(operation, nullptr); !status.ok()) return status;
  return device.synchronize(nullptr);
}

Status PreparedSteps::check_scratch(const KernelSpec& spec) const {
  for (const Scratch& scratch : scratch_) {
    long long offset = 0;
    if (scratch.memory.guards_intact(offset)) continue;
    return {Verdict::guard,
            fmt::format("wrote outside scratch `{}`: the byte at offset {} of its {} bytes changed",
                        spec.arguments[scratch.argument].name, offset, scratch.memory.bytes()),
            false};
  }
  return {};
}

}  // namespace attune
