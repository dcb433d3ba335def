// Limits of workers that a user sets (docs/reliability.md): by environment, and for a shell. Each throws UsageError
// naming the variable when its value is not a positive number. Thread-safe as long as the environment does not change.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>

namespace attune {

// Seconds for one image before the time of images is known.
constexpr double default_compile_limit_seconds = 60;
// Returns $ATTUNE_COMPILE_LIMIT: seconds for one image, in place of the adaptive limit.
std::optional<double> compile_limit_seconds();
// Returns $ATTUNE_COMPILE_MEMORY, given in MiB, as bytes of address space of a compile worker.
std::optional<std::uint64_t> compile_limit_bytes();
// Returns $ATTUNE_LAUNCH_LIMIT: seconds for one launch, in place of a multiple of the default configuration's.
std::optional<double> launch_limit_seconds();

// Returns the most processor time of a process, in seconds, that this one had at the first call (`ulimit -t`).
std::optional<std::uint64_t> processor_limit_seconds() noexcept;
// Returns whether that limit ended a process: by this signal, after so many seconds of processor time.
bool is_ended_by_processor_limit(int signal, double processor_seconds) noexcept;
// Returns the processor time that a process used, in seconds.
double processor_seconds_of(const rusage& used) noexcept;
// Says what to do about it.
std::string processor_limit_advice();

}  // namespace attune
