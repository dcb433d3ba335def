// Limits of workers that a user sets by environment (docs/reliability.md). Each throws UsageError naming the variable
// when its value is not a positive number. Thread-safe as long as nobody changes the environment.
#pragma once

#include <cstdint>
#include <optional>

namespace attune {

// Seconds for one image while nothing is known of how long images take.
constexpr double default_compile_limit_seconds = 60;
// $ATTUNE_COMPILE_LIMIT: seconds for one image, in place of the limit that adapts.
std::optional<double> compile_limit_seconds();
// $ATTUNE_COMPILE_MEMORY, given in MiB: bytes of address space of a compile worker.
std::optional<std::uint64_t> compile_limit_bytes();
// $ATTUNE_LAUNCH_LIMIT: seconds for one launch, in place of a multiple of the default configuration's.
std::optional<double> launch_limit_seconds();

}  // namespace attune
