// The text of a record, and of its rivals.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "core/record.hpp"
#include "kernel/roofline.hpp"

namespace attune::cli {

// Returns the bound of a time that this record's device took. None is shown beyond 100 % on the host device: its
// ceilings are those of the emulation, which caches exceed.
std::optional<Bound> shown_bound(const KernelSpec& spec, const Record& record, double nanoseconds,
                                 std::span<const Ceiling> ceilings);
bool is_of_host(const Record& record);
// Returns "1.83x [1.81, 1.85] over the default": from the final stage, with its 95 % interval.
std::string gain_text(const Record& record);
// Returns "; unstable: ...", "; busy: ...", "; self-checked", or "".
std::string marks_text(const Record& record);
// Returns why a winner was chosen that is not the fastest; "" where it is.
std::string choice_text(const Record& record);
// Returns the trade-offs between several objectives, as lines indented by two blanks or more; "" for one objective.
// Configurations are shown as what differs from the record's; with `verbose` whole.
std::string front_text(const Record& record, const std::vector<FinalistResult>& finalists, bool verbose);
// Returns a line for each finalist, under a heading: its time and configuration, as above. Returns "" for none.
std::string finalists_text(const Record& record, const std::vector<FinalistResult>& finalists, bool verbose);
// Returns the winner's distance from the reference, its determinism and its energy: lines as above.
std::string winner_text(const Record& record, const std::vector<FinalistResult>& finalists);

}  // namespace attune::cli
