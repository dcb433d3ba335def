#include "base/user_limits.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "attune/error.hpp"

namespace attune {
namespace {

constexpr double most_of_a_limit = 1e9;  // in seconds and in MiB: as good as no limit, and safe to calculate with

std::optional<double> limit(const char* variable, const char* unit, double least = 0) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  const std::string_view text = value;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(number > 0 && number >= least && number <= most_of_a_limit))
    throw UsageError(fmt::format("{}={} is not a number of {} {} and up to {:g}; correct or unset it", variable, text,
                                 unit, least > 0 ? fmt::format("from {:g}", least) : "above 0", most_of_a_limit));
  return number;
}

}  // namespace

std::optional<double> compile_limit_seconds() { return limit("ATTUNE_COMPILE_LIMIT", "seconds"); }

std::optional<std::uint64_t> compile_limit_bytes() {
  const std::optional<double> mebibytes = limit("ATTUNE_COMPILE_MEMORY", "MiB", 1);
  if (!mebibytes) return std::nullopt;
  return static_cast<std::uint64_t>(*mebibytes * 1024 * 1024);
}

std::optional<double> launch_limit_seconds() { return limit("ATTUNE_LAUNCH_LIMIT", "seconds"); }

std::optional<std::uint64_t> processor_limit_seconds() noexcept {
  static const rlim_t seconds = [] {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_CPU, &limit);
    return std::min(limit.rlim_cur, limit.rlim_max);
  }();
  return seconds == RLIM_INFINITY ? std::nullopt : std::optional<std::uint64_t>(seconds);
}

bool is_ended_by_processor_limit(int signal, double processor_seconds) noexcept {
  constexpr double nearly_all = 0.9;  // the system counts in ticks
  const std::optional<std::uint64_t> limit = processor_limit_seconds();
  return (signal == SIGXCPU || signal == SIGKILL) && limit &&
         processor_seconds >= nearly_all * static_cast<double>(*limit);
}

double processor_seconds_of(const rusage& used) noexcept {
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

std::string processor_limit_advice() {
  return fmt::format(
      "its processes may use {} s of processor time (ulimit -t): no configuration is blamed. Raise that limit, then "
      "run "
      "the same command to go on",
      processor_limit_seconds().value_or(0));
}

}  // namespace attune
