// CallableSubject: work of a program's own as what is tuned. Nothing is compiled, and a worker calls the work. One
// thread.
#pragma once

#include "subject/kernel_subject.hpp"

namespace attune {

class CallableSubject final : public KernelSubject {
 public:
  // `spec`: of a tunable; may be narrowed. `problem`: complete. `device`: as the worker opened it.
  using KernelSubject::KernelSubject;

  std::shared_ptr<const Instance> prepare(InstanceId id, const Configuration& configuration) const override;
  TrialSetup setup(const Configuration& expected, const CompileOne& compile, std::uint64_t seed) const override;
  std::string_view toolchain() const override { return "callable"; }
  // The work checks itself; no configuration is the measure of another one's result.
  bool has_reference() const override { return true; }
  // The work's data are the same in each call, so that there is no stream of them.
  bool restores_inputs() const override { return true; }
};

}  // namespace attune
