// RecordingSubject: a recording as what is tuned. Nothing is compiled, and a worker answers from the recording. One
// thread.
#pragma once

#include <string>
#include <unordered_map>

#include "space/recording.hpp"
#include "subject/kernel_subject.hpp"

namespace attune {

class RecordingSubject final : public KernelSubject {
 public:
  // `spec` is replay_kernel() of the recording, perhaps narrowed.
  RecordingSubject(const Recording& recording, KernelSpec spec, DeviceInfo device);

  // Throws Error for a configuration that was not recorded.
  std::shared_ptr<const Instance> prepare(InstanceId id, const Configuration& configuration) const override;
  TrialSetup setup(const Configuration& expected, const CompileOne& compile, std::uint64_t seed) const override;
  std::string_view toolchain() const override { return "replay"; }

 private:
  const std::string source_;
  std::unordered_map<std::string, double> compile_ms_;  // by configuration text
};

}  // namespace attune
