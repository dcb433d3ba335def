#include "subject/kernel_subject.hpp"

#include <fmt/format.h>

#include <utility>

#include "device/image_key.hpp"
#include "kernel/legality.hpp"
#include "kernel/roofline.hpp"
#include "space/default_configuration.hpp"
#include "subject/kernel_setup.hpp"
#include "subject/kernel_warm_start.hpp"
#include "subject/unfilled.hpp"

namespace attune {
namespace {

// Returns whether values were left out so that results repeat bit for bit, while the kernel's own default is not
// deterministic.
bool is_left_for_determinism(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                             const SearchSpace& space, const Configuration& by_default) {
  const std::optional<Configuration> left = space.nearest(by_default);
  return left && is_deterministic(spec, problem, device, *left) && !is_deterministic(spec, problem, device, by_default);
}

std::optional<Configuration> default_of(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                        const SearchSpace& space) {
  std::optional<Configuration> found = default_configuration(spec, problem, device);
  if (found && spec.whole && is_left_for_determinism(spec, problem, device, space, *found)) return std::nullopt;
  return found;
}

std::vector<Configuration> anchors_of(const KernelSpec& spec, const SearchSpace& space,
                                      const std::optional<Configuration>& by_default) {
  std::vector<Configuration> anchors;
  const std::optional<Configuration> left = spec.whole ? space.nearest(first_values(spec)) : by_default;
  if (!left) return anchors;
  if (by_default) anchors.push_back(*by_default);
  if (left != by_default) anchors.push_back(*left);
  return anchors;
}

}  // namespace

KernelSubject::KernelSubject(KernelSpec spec, const Problem& problem, DeviceInfo device)
    : Subject({spec.name, problem, spec.fingerprints, spec.whole != nullptr}),
      spec_(std::move(spec)),
      device_(std::move(device)),
      source_key_(source_key(device_.architecture(), spec_.source)) {}

const KernelSubject::Legal& KernelSubject::legal() const {
  if (legal_) return *legal_;
  SearchSpace space = make_space(spec_, problem(), device_);
  std::optional<Configuration> by_default = default_of(spec_, problem(), device_, space);
  std::vector<Configuration> anchors = anchors_of(spec_, space, by_default);
  return legal_.emplace(Legal{std::move(space), std::move(by_default), std::move(anchors)});
}

std::vector<Row> KernelSubject::first_rows() const { return ladder_rows(spec_, space()); }

std::vector<Record> KernelSubject::ranked(std::span<const Record> records, std::string_view regime,
                                          std::string_view objective) const {
  return ranked_for_warm_start({spec_, problem(), device_, spec_.name, regime, objective}, records);
}

std::shared_ptr<const Instance> KernelSubject::prepare(InstanceId id, const Configuration& configuration) const {
  auto made = std::make_shared<Instance>();
  made->id = id;
  made->configuration = configuration;
  made->text = configuration.text();
  made->steps = launch_setup(spec_, problem(), configuration, device_);
  made->shapes = timed_shapes(made->steps);
  made->image = launch_image_request(spec_, problem(), configuration, device_);
  made->image_key = source_key_.key_of(*made->image);
  return made;
}

TrialSetup KernelSubject::setup(const Configuration& expected, const CompileOne& compile, std::uint64_t seed) const {
  return trial_setup(spec_, problem(), expected, device_, compile, seed);
}

std::string KernelSubject::deterministic_by(const Configuration& configuration) const {
  if (!spec_.deterministic || !is_deterministic(spec_, problem(), device_, configuration)) return "";
  return fmt::format("`{}` ([kernel] `deterministic`)", spec_.deterministic->text());
}

std::optional<double> KernelSubject::bytes(const Configuration& configuration) const {
  return amount_of(spec_.metrics.bytes, problem(), configuration);
}

std::optional<double> KernelSubject::flops(const Configuration& configuration) const {
  return amount_of(spec_.metrics.flops, problem(), configuration);
}

std::string KernelSubject::data_advice() const { return unfilled_explanation(spec_, problem()); }

}  // namespace attune
