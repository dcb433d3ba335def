#include "rates.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace attune::cli {
namespace {

// GPUs of the last ten years do 10 to 30 operations of single precision in the time of a byte from memory.
constexpr double many_per_byte = 10;

std::string scaled(double giga, const std::string& unit) {
  constexpr double kilo = 999.95;  // what rounds to 1000
  return giga >= kilo    ? four_digits(giga / 1000) + " T" + unit
         : giga >= 1     ? four_digits(giga) + " G" + unit
         : giga >= 0.001 ? four_digits(giga * 1000) + " M" + unit
                         : four_digits(giga * 1e6) + " k" + unit;
}

std::string unit_of(Metric metric, const KernelSpec& spec) {
  return metric == Metric::bytes ? "B/s" : metric == Metric::flops ? "FLOP/s" : spec.metrics.unit + "/s";
}

std::optional<double> rate_in(const Rates& rates, Metric metric) {
  return metric == Metric::bytes ? rates.gigabytes : metric == Metric::flops ? rates.gigaflops : rates.gigaitems;
}

}  // namespace

Rates rates_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration, double nanoseconds) {
  const auto of = [&](const std::optional<Expression>& amount) -> std::optional<double> {
    const std::optional<double> value = amount_of(amount, problem, configuration);
    if (!value || nanoseconds <= 0) return std::nullopt;
    return *value / nanoseconds;
  };
  return {of(spec.metrics.bytes), of(spec.metrics.flops), of(spec.metrics.items)};
}

std::string rate_text(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds) {
  std::string text;
  for (const Metric metric : {Metric::bytes, Metric::flops, Metric::items}) {
    const std::string rate = rate_by(metric, spec, problem, configuration, nanoseconds);
    if (!rate.empty()) text += (text.empty() ? "" : ", ") + rate;
  }
  return text;
}

std::optional<Metric> main_metric(const KernelSpec& spec, const Problem& problem, const Configuration& configuration) {
  const Rates amounts = rates_of(spec, problem, configuration, 1);
  const auto is_main = [&](const std::optional<double>& amount) {
    return amount && (!amounts.gigabytes || *amount > many_per_byte * *amounts.gigabytes);
  };
  if (is_main(amounts.gigaflops)) return Metric::flops;
  if (is_main(amounts.gigaitems)) return Metric::items;
  return amounts.gigabytes ? std::optional(Metric::bytes) : std::nullopt;
}

Metric metric_of(const Bound& bound) {
  return bound.ceiling == "read" || bound.ceiling == "copy" ? Metric::bytes : Metric::flops;
}

std::string rate_by(std::optional<Metric> metric, const KernelSpec& spec, const Problem& problem,
                    const Configuration& configuration, double nanoseconds) {
  if (!metric) return "";
  const std::optional<double> rate = rate_in(rates_of(spec, problem, configuration, nanoseconds), *metric);
  return rate ? scaled(*rate, unit_of(*metric, spec)) : "";
}

std::string bound_text(const std::optional<Bound>& bound) {
  if (!bound) return "";
  return fmt::format("{:.0f} % of the measured {} ceiling", 100 * bound->fraction, bound->ceiling);
}

std::string quantity_text(double value, const std::string& unit) {
  return unit == "ns" ? time_text(value) : scaled(value * 1e-9, unit);
}

}  // namespace attune::cli
