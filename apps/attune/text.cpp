#include "text.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <sstream>

#include "apps/terminal/help_text.hpp"
#include "base/unix_ms.hpp"
#include "base/visible_text.hpp"

namespace attune::cli {
namespace {

// Per nanosecond.
std::optional<double> rate(const std::optional<Expression>& amount, const Problem& problem,
                           const Configuration& configuration, double nanoseconds) {
  const std::optional<double> value = amount_of(amount, problem, configuration);
  if (!value || nanoseconds <= 0) return std::nullopt;
  return *value / nanoseconds;
}

std::string scaled(double giga, const char* unit) {
  return giga >= 1000 ? fmt::format("{:.2f} T{}", giga / 1000, unit)
         : giga >= 1  ? fmt::format("{:.1f} G{}", giga, unit)
                      : fmt::format("{:.1f} M{}", giga * 1000, unit);
}

}  // namespace

std::string four_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}

std::string time_text(double ns) {
  struct Unit {
    double scale;
    const char* name;
  };
  static constexpr std::array<Unit, 4> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}}};
  for (const Unit& unit : units)
    if (ns >= unit.scale) return fmt::format("{} {}", four_digits(ns / unit.scale), unit.name);
  return fmt::format("{:.3g} ns", ns);
}

// Six columns at most, up to 99,999x.
std::string ratio_text(double ratio) { return fmt::format("{:.{}f}x", ratio, ratio < 99.995 ? 2 : 0); }

std::string count_text(SpaceSize count) {
  const std::string digits = to_text(count);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

Rates rates_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration, double nanoseconds) {
  const auto of = [&](const std::optional<Expression>& amount) {
    return rate(amount, problem, configuration, nanoseconds);
  };
  return {of(spec.metrics.bytes), of(spec.metrics.flops), of(spec.metrics.items)};
}

std::string rate_text(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds) {
  const Rates rates = rates_of(spec, problem, configuration, nanoseconds);
  std::string text;
  const auto add = [&](const std::optional<double>& giga, const std::string& unit) {
    if (giga) text += (text.empty() ? "" : ", ") + scaled(*giga, unit.c_str());
  };
  add(rates.gigabytes, "B/s");
  add(rates.gigaflops, "FLOP/s");
  add(rates.gigaitems, spec.metrics.unit + "/s");
  return text;
}

// GPUs of the last ten years do 10 to 30 operations of single precision in the time of a byte from memory.
constexpr double many_per_byte = 10;

std::string rate_cell(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds, bool all) {
  if (all) return rate_text(spec, problem, configuration, nanoseconds);
  const Rates rates = rates_of(spec, problem, configuration, nanoseconds);
  const auto is_main = [&](const std::optional<double>& rate) {
    return rate && (!rates.gigabytes || *rate > many_per_byte * *rates.gigabytes);
  };
  if (is_main(rates.gigaflops)) return scaled(*rates.gigaflops, "FLOP/s");
  if (is_main(rates.gigaitems)) return scaled(*rates.gigaitems, (spec.metrics.unit + "/s").c_str());
  return rates.gigabytes ? scaled(*rates.gigabytes, "B/s") : "";
}

std::string bound_text(const std::optional<Bound>& bound) {
  if (!bound) return "";
  return fmt::format("{:.0f} % of the measured {} ceiling", 100 * bound->fraction, bound->ceiling);
}

std::string quantity_text(double value, const std::string& unit) {
  return unit == "ns" ? time_text(value) : scaled(value * 1e-9, unit.c_str());
}

std::string verdicts_text(const VerdictCounts& counts) {
  const auto right = counts.find(Verdict::ok);
  std::string text = fmt::format("{} right", right == counts.end() ? 0 : right->second);
  for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry)
    if (entry->first != Verdict::ok) text += fmt::format(", {} {}", entry->second, to_text(entry->first));
  return text;
}

std::string in_lines(std::string_view given, std::size_t column) {
  std::istringstream words(visible_text(given));
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return wrapped(line, output_columns(), column);
}

std::string in_lines_with_command(std::string_view given, std::size_t column) {
  constexpr std::string_view before = ": attune ";
  const std::size_t end = given.find(before);
  if (end == std::string_view::npos) return in_lines(given, column);
  return in_lines(given.substr(0, end + 1), column) + "\n" + std::string(column, ' ') +
         visible_text(given.substr(end + 2));
}

std::string utc_text(std::int64_t unix_ms) { return attune::utc_text(unix_ms, "%Y-%m-%d %H:%M UTC"); }

}  // namespace attune::cli
