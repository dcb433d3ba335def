#include "subject/callable_subject.hpp"

#include "worker/callable_spec.hpp"

namespace attune {

CallableSubject::CallableSubject(const Tunable& tunable, const Problem& problem, DeviceInfo device)
    : KernelSubject(callable_spec(tunable), problem, std::move(device)) {}

std::shared_ptr<const Instance> CallableSubject::prepare(InstanceId id, const Configuration& configuration) const {
  return plain_instance(id, configuration);
}

TrialSetup CallableSubject::setup(const Configuration&, const CompileOne&, std::uint64_t seed) const {
  TrialSetup setup;
  setup.kernel = name();
  setup.problem = problem().text();
  setup.seed = seed;
  return setup;
}

}  // namespace attune
