// Problems and configurations as plain text, "n=1024 T=float", read back by the names and values that a kernel has.
// Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Reads what Bindings::text() wrote of a complete problem. Returns nothing for any other text.
std::optional<Problem> problem_of_text(const KernelSpec& spec, std::string_view text);
// Reads what Bindings::text() wrote of a configuration. Returns nothing for another text, and for a value that a
// parameter does not list.
std::optional<Configuration> configuration_of_text(const KernelSpec& spec, std::string_view text);

}  // namespace attune
