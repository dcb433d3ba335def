#include "subject/callable_subject.hpp"

namespace attune {

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
