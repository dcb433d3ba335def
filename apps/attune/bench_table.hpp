// The text of `attune bench`: one table for each regime, one for its steps.
#pragma once

#include <string>

#include "configuration_text.hpp"
#include "session/side_by_side.hpp"

namespace attune::cli {

// Returns what a regime's rounds were, a table of its rows, and below it the configurations and the details of failed
// rows. `protocol`: what ended the rounds. `verbose`: configurations are shown whole, not as what differs from the
// first.
std::string side_by_side_text(const SideBySide& compared, const KernelSpec& spec, const Problem& problem,
                              const Protocol& protocol, bool verbose);

// Returns the rate of a row, for a table: by [metrics], or by the bytes of a copy. With `all` it has all metrics.
std::string rate_of(const SideBySideRow& row, const SideBySide& compared, const KernelSpec& spec,
                    const Problem& problem, bool all);

// Returns what a row of a comparison is, for a list of configurations.
NamedText named_text(const SideBySideRow& row);

// Returns a table of the steps of every row; "" where none were timed.
std::string steps_text(const SideBySide& compared);

}  // namespace attune::cli
