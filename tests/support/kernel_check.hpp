// Runs many configurations of a kernel and compares each with the reference: what the kernel tests of every device
// share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "core/trial.hpp"
#include "device/device.hpp"
#include "session/image_source.hpp"
#include "worker/workers.hpp"

namespace attune::test {

// Every configuration whose outcome is not ok, with its verdict and detail.
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

  // Checks each configuration for every problem in turn for which it is legal. Those with scratch memory are launched
  // and checked a second time, as an application would.
  std::vector<KernelFailure> check(const std::vector<Problem>& problems,
                                   const std::vector<Configuration>& configurations);

 private:
  CompiledInstance next();

  Device& device_;
  const KernelSpec& spec_;
  LocalWorkers workers_;
  Pool pool_;
  ImageSource images_;
};

// The same, once.
std::vector<KernelFailure> check_configurations(Device& device, const KernelSpec& spec,
                                                const std::vector<Problem>& problems,
                                                const std::vector<Configuration>& configurations);

// Text of at most ten failures.
std::string to_text(const std::vector<KernelFailure>& failures);

std::vector<Configuration> all_configurations(const SearchSpace& space);

// The default configuration and `count` random ones.
std::vector<Configuration> some_configurations(const KernelSpec& spec, const SearchSpace& space, std::size_t count,
                                               std::uint64_t seed);

// A small set of legal configurations in which every pair of values of two parameters occurs that occurs in any legal
// configuration (a covering array of strength 2, built greedily).
std::vector<Configuration> pairwise_configurations(const SearchSpace& space, std::uint64_t seed);

}  // namespace attune::test
