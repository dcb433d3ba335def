#include "subject/recording_subject.hpp"

#include <utility>

#include "attune/error.hpp"
#include "device/replay/recording_identity.hpp"

namespace attune {

RecordingSubject::RecordingSubject(const Recording& recording, KernelSpec spec, DeviceInfo device)
    : KernelSubject(std::move(spec), {}, std::move(device)), source_(recording.source) {
  for (const RecordedTrial& trial : recording.trials)
    compile_ms_.emplace(configuration_of(recording, trial).text(), 1e3 * trial.compile_s);
}

std::shared_ptr<const Instance> RecordingSubject::prepare(InstanceId id, const Configuration& configuration) const {
  std::shared_ptr<Instance> made = plain_instance(id, configuration);
  const auto found = compile_ms_.find(made->text);
  if (found == compile_ms_.end()) throw Error(source_ + " has no row for " + made->text);
  made->made_ms = found->second;
  return made;
}

TrialSetup RecordingSubject::setup(const Configuration&, const CompileOne&, std::uint64_t seed) const {
  TrialSetup setup;
  setup.kernel = name();
  setup.problem = problem().text();
  setup.self_checked = !has_reference();
  setup.seed = seed;
  return setup;
}

}  // namespace attune
