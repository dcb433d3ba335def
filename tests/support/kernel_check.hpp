// Runs many configurations of a kernel and compares each with the reference: what the kernel tests of every device
// share.
#pragma once

#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "core/trial.hpp"
#include "device/device.hpp"

namespace attune::test {

// Every configuration whose outcome is not ok, with its verdict and detail.
struct KernelFailure {
  std::string configuration;
  Verdict verdict;
  std::string detail;
};

// Compiles on all cores and checks each configuration for every problem in turn for which it is legal (images are
// shared by problems of the same types). Those with scratch memory are launched and checked a second time, as an
// application would.
std::vector<KernelFailure> check_configurations(Device& device, const KernelSpec& spec,
                                                const std::vector<Problem>& problems,
                                                const std::vector<Configuration>& configurations);

// Text of at most ten failures.
std::string to_text(const std::vector<KernelFailure>& failures);

std::vector<Configuration> all_configurations(const SearchSpace& space);

// The default configuration and `count` random ones.
std::vector<Configuration> some_configurations(const KernelSpec& spec, const SearchSpace& space, std::size_t count,
                                               std::uint64_t seed);

// Sums by `reduce` over arrays that begin some elements past the begin of a buffer, with each width of accesses as the
// default. Returns what is wrong, a line each.
std::vector<std::string> wrong_sums_of_offset_arrays(const std::string& device);

// Scans by `scan` from arrays that begin some elements past the begin of a buffer, to others that begin elsewhere, by
// each algorithm. Returns what is wrong, a line each.
std::vector<std::string> wrong_scans_of_offset_arrays(const std::string& device);

// A small set of legal configurations in which every pair of values of two parameters occurs that occurs in any legal
// configuration (a covering array of strength 2, built greedily).
std::vector<Configuration> pairwise_configurations(const SearchSpace& space, std::uint64_t seed);

}  // namespace attune::test
