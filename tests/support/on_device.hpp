// One kernel and problem on a device of this process, for tests that load, check and sample instances themselves.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "attune/error.hpp"
#include "subject/kernel_subject.hpp"
#include "worker/kernel_runner.hpp"

namespace attune::test {

class OnDevice {
 public:
  OnDevice(Device& device, const KernelSpec& spec, const Problem& problem, const Configuration& default_configuration)
      : OnDevice(device, kernel_testbed(device), spec, problem, default_configuration) {}
  // On a testbed of the device, which several problems may share.
  OnDevice(Device& device, std::shared_ptr<Testbed> testbed, const KernelSpec& spec, const Problem& problem,
           const Configuration& default_configuration)
      : device_(device),
        subject_(spec, problem, device.info()),
        testbed_(std::move(testbed)),
        runner_(testbed_->begin(setup(default_configuration), {})) {}

  Runner& runner() const { return *runner_; }

  // Compiles each request once in this process, because problems of a kernel share the images of its reference.
  CompileOutcome compile(const ImageRequest& request) const {
    static std::map<std::string, CompileOutcome> known;
    const std::string key = request.key("");
    const auto found = known.find(key);
    if (found != known.end()) return found->second;
    return known[key] = device_.compiler()->compile(std::span(&request, 1)).front();
  }
  // Compiles, loads and checks the configuration, which stays loaded as `id` when the status is ok.
  Status load(InstanceId id, const Configuration& configuration) {
    const auto instance = subject_.prepare(id, configuration);
    const CompileOutcome compiled = compile(*instance->image);
    return compiled.image ? load(*instance, *compiled.image) : Status{compiled.verdict, compiled.log, false};
  }
  Status load(const Instance& instance, const Image& image) {
    Numerics numerics;
    Status status = runner_->load(instance_launch(instance, image));
    return status.ok() ? runner_->check(instance.id, numerics) : status;
  }

 private:
  TrialSetup setup(const Configuration& default_configuration) const {
    return subject_.setup(
        default_configuration, [this](const ImageRequest& request) { return compile(request); }, 1);
  }

  Device& device_;
  const KernelSubject subject_;
  const std::shared_ptr<Testbed> testbed_;
  const std::unique_ptr<Runner> runner_;
};

}  // namespace attune::test
