#include "kernel/instance.hpp"

namespace attune {

std::shared_ptr<const Instance> make_instance(InstanceId id, const KernelSpec& spec, const Problem& problem,
                                              const Configuration& configuration, const DeviceInfo& device) {
  auto made = std::make_shared<Instance>();
  made->id = id;
  made->problem = problem;
  made->configuration = configuration;
  made->text = configuration.text();
  made->steps = resolve_steps(spec, spec.launch, problem, &configuration, device);
  made->verify = resolve_steps(spec, spec.verify, problem, &configuration, device);
  made->arguments = resolve_arguments(spec, problem, &configuration, device);
  made->image = launch_image_request(spec, problem, configuration, device);
  return made;
}

std::vector<LaunchShape> launch_shapes(const Instance& instance) {
  std::vector<LaunchShape> shapes;
  for (const ResolvedStep& step : instance.steps)
    if (step.kind == StepKind::launch) shapes.push_back(step.shape);
  return shapes;
}

}  // namespace attune
