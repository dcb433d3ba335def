// Limits of workers that a user sets (docs/reliability.md), by environment variables or by a shell's `ulimit`. A
// function that reads a variable throws UsageError naming it when its value is not a positive number. Thread-safe as
// long as the environment does not change.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>

namespace attune {

// The limit for compiling one image, in seconds, while it is not known how long images take.
constexpr double default_compile_limit_seconds = 60;
// Returns $ATTUNE_COMPILE_LIMIT: seconds for one image, instead of the adaptive limit.
std::optional<double> compile_limit_seconds();
// Returns $ATTUNE_COMPILE_MEMORY, given in MiB, as bytes: the address space of a compile worker.
std::optional<std::uint64_t> compile_limit_bytes();
// Returns $ATTUNE_LAUNCH_LIMIT: seconds for one launch, instead of a multiple of the default configuration's time.
std::optional<double> launch_limit_seconds();

// Returns the limit of processor time that this process had at the first call (`ulimit -t`), in seconds; nothing: no
// limit.
std::optional<std::uint64_t> processor_limit_seconds() noexcept;
// Returns whether that limit ended a process which `signal` ended after so many seconds of processor time.
bool is_ended_by_processor_limit(int signal, double processor_seconds) noexcept;
// Returns the processor time that a process used, in seconds.
double processor_seconds_of(const rusage& used) noexcept;
// Returns a sentence that names this limit and says what to do.
std::string processor_limit_advice();

}  // namespace attune
