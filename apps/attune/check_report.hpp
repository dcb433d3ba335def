// The output of `attune check`: text as it goes, or one JSON object at the end.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "attune/kernel_spec.hpp"
#include "command.hpp"
#include "core/image.hpp"
#include "core/numerics.hpp"
#include "kernel/instantiate.hpp"
#include "worker/trial_setup.hpp"

namespace attune::cli {

class CheckReport {
 public:
  explicit CheckReport(bool json) : json_(json) {}

  // `configuration`: null where none is legal.
  void show_subject(const KernelSpec& spec, const Problem& problem, const Configuration* configuration);
  void show_note(const std::string& text);  // "": nothing
  void show_log(const std::string& log);
  // `steps`: of [[launch]], for their dynamic shared memory and their occupancy of the device.
  void show_image(const Image& image, double milliseconds, std::span<const ResolvedStep> steps,
                  const DeviceInfo& device);
  // How far from the expected result an element may be.
  void show_tolerances(std::span<const ArgumentSetup> arguments);
  void show_launch(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                   double nanoseconds, const Numerics& numerics, bool self_checked);
  // Of a launch under sanitizers, which has no time.
  void show_clean_launch(const std::string& sanitizers, const Numerics& numerics);
  // Ends the report. Returns the exit code.
  int show_verdict(Verdict verdict, const std::string& detail);

 private:
  const bool json_;
  nlohmann::ordered_json line_;
};

}  // namespace attune::cli
