// KernelSubject: a kernel file as what is tuned. Its instances are launches of compiled images. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "core/source_key.hpp"
#include "subject/subject.hpp"

namespace attune {

class KernelSubject : public Subject {
 public:
  // `spec` may be narrowed. `problem` has a value of every parameter of the problem.
  KernelSubject(KernelSpec spec, const Problem& problem, DeviceInfo device);

  const KernelSpec& spec() const noexcept { return spec_; }
  const Problem& problem() const noexcept { return identity().problem; }

  // Makes the space at its first call. Throws what make_space() throws.
  const SearchSpace& space() const override { return legal().space; }
  // Returns nothing too where the space was narrowed to deterministic configurations ([kernel] `deterministic`) and the
  // default is not one.
  const std::optional<Configuration>& default_configuration() const override { return legal().by_default; }
  const std::vector<Configuration>& anchors() const override { return legal().anchors; }
  std::vector<Row> first_rows() const override;
  std::vector<Record> ranked(std::span<const Record> records, std::string_view regime,
                             std::string_view objective) const override;

  // Throws Error too for a scalar argument that has no value.
  std::shared_ptr<const Instance> prepare(InstanceId id, const Configuration& configuration) const override;
  TrialSetup setup(const Configuration& expected, const CompileOne& compile, std::uint64_t seed) const override;

  bool has_reference() const override { return !spec_.reference.empty(); }
  bool restores_inputs() const override { return spec_.restores_inputs(); }
  std::string deterministic_by(const Configuration& configuration) const override;
  std::optional<double> bytes(const Configuration& configuration) const override;
  std::optional<double> flops(const Configuration& configuration) const override;
  std::string data_advice() const override;

 private:
  struct Legal {
    SearchSpace space;
    std::optional<Configuration> by_default;
    std::vector<Configuration> anchors;
  };
  const Legal& legal() const;

  const KernelSpec spec_;
  const DeviceInfo device_;
  const SourceKey source_key_;
  mutable std::optional<Legal> legal_;
};

}  // namespace attune
