// The text of `attune bench`: one table for each regime, one for its steps.
#pragma once

#include <optional>
#include <string>

#include "configuration_text.hpp"
#include "rates.hpp"
#include "session/side_by_side.hpp"

namespace attune::cli {

// Returns what a regime's rounds were, a table of its rows, and below it the configurations and the details of failed
// rows. `protocol`: what ended the rounds. `verbose`: configurations are shown whole, not as what differs from the
// first.
std::string side_by_side_text(const SideBySide& compared, const KernelSpec& spec, const Problem& problem,
                              const Protocol& protocol, bool verbose);

// Returns the metric by which a table shows rates: that of its first configuration.
std::optional<Metric> metric_for(const SideBySide& compared, const KernelSpec& spec, const Problem& problem);
// Returns the rate of a row by this metric; that of the bytes if it is a copy.
std::string rate_of(const SideBySideRow& row, const SideBySide& compared, const KernelSpec& spec,
                    const Problem& problem, std::optional<Metric> metric);

// Returns why a row failed, "NAME: VERDICT: DETAIL", in lines that fit. A compiler's log keeps its own lines.
std::string failure_text(const SideBySideRow& row);
// Returns what a row of a comparison is, for a list of configurations.
ShownConfiguration named_text(const SideBySideRow& row);

// Returns a table of the steps of every row; "" where none were timed.
std::string steps_text(const SideBySide& compared);

}  // namespace attune::cli
