// Rates by [metrics]: how much of something a kernel does per second.
#pragma once

#include <optional>
#include <string>

#include "attune/kernel_spec.hpp"
#include "kernel/roofline.hpp"

namespace attune::cli {

// The rates for a time, in 10^9 per second; nothing where [metrics] lacks the line.
struct Rates {
  std::optional<double> gigabytes, gigaflops, gigaitems;
};
Rates rates_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration, double nanoseconds);
// Returns all of them as text: "3.910 TB/s", "51.20 TFLOP/s, 2.100 Gpoints/s", or "".
std::string rate_text(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds);

// A line of [metrics].
enum class Metric { bytes, flops, items };
// Returns the metric whose rate says most about a kernel: operations or items where a byte comes with many of them,
// else bytes. Returns nothing for a kernel without [metrics].
std::optional<Metric> main_metric(const KernelSpec& spec, const Problem& problem, const Configuration& configuration);
// Returns the metric that a bound is about.
Metric metric_of(const Bound& bound);
// Returns the rate by one metric: "3.910 TB/s", or "".
std::string rate_by(std::optional<Metric> metric, const KernelSpec& spec, const Problem& problem,
                    const Configuration& configuration, double nanoseconds);

// Returns "83 % of the measured copy ceiling", or "".
std::string bound_text(const std::optional<Bound>& bound);
// Returns a quantity in this unit, with a prefix: "4.100 TB/s", "5.300 us".
std::string quantity_text(double value, const std::string& unit);

}  // namespace attune::cli
