// Runs many configurations of a kernel and compares each with the reference: what the kernel tests of every device
// share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "core/trial.hpp"
#include "device/device.hpp"
#include "session/image_source.hpp"
#include "worker/runner.hpp"
#include "worker/workers.hpp"

namespace attune::test {

// A configuration whose outcome is not ok, with its verdict and detail.
struct KernelFailure {
  std::string configuration;
  Verdict verdict;
  std::string detail;
};

// Compiles a kernel on all cores, each image once, and checks its configurations.
class KernelChecks {
 public:
  KernelChecks(Device& device, const KernelSpec& spec);  // both outlive it

  // Asks for the images of a problem ahead of check(), so that many are compiled together. Returns the first legal
  // configuration, or nothing when none is.
  std::optional<Configuration> ask(const Problem& problem, const std::vector<Configuration>& configurations);

  // Checks, for every problem in turn, each configuration that is legal for it. Configurations with scratch memory are
  // launched and checked a second time, as an application would launch them.
  std::vector<KernelFailure> check(const std::vector<Problem>& problems,
                                   const std::vector<Configuration>& configurations);

 private:
  Device& device_;
  const KernelSpec& spec_;
  const std::shared_ptr<Testbed> testbed_;
  LocalWorkers workers_;
  Pool pool_;
  ImageSource images_;
};

// Checks the configurations of one kernel for the problems, with a KernelChecks of its own.
std::vector<KernelFailure> check_configurations(Device& device, const KernelSpec& spec,
                                                const std::vector<Problem>& problems,
                                                const std::vector<Configuration>& configurations);

// Returns the text of at most ten failures.
std::string to_text(const std::vector<KernelFailure>& failures);

std::vector<Configuration> all_configurations(const SearchSpace& space);

// Returns the default configuration and `count` random ones.
std::vector<Configuration> some_configurations(const KernelSpec& spec, const SearchSpace& space, std::size_t count,
                                               std::uint64_t seed);

// Returns a small set of legal configurations. Every pair of values of two parameters that occurs in any legal
// configuration occurs in the set (a covering array of strength 2, built greedily).
std::vector<Configuration> pairwise_configurations(const SearchSpace& space, std::uint64_t seed);

}  // namespace attune::test
