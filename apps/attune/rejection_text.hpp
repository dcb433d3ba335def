// Why configurations did not survive, as text. Pure.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "attune/bindings.hpp"
#include "session/rejections.hpp"

namespace attune::cli {

// Returns the line of a trial's detail that says most: of a compiler's log the first error, else the first line.
std::string reason_of(std::string_view detail);

// Returns the command that shows the trials of a problem: `attune trials scale --problem "n=5000"`. It names a database
// that is not the user's own.
std::string trials_command(const std::string& kernel, const Problem& problem, const std::string& database);

// Which verdicts are shown: those that many of the failures have, or all.
enum class Shown { frequent, all };
// Returns lines for verdicts: how many configurations have it, one of them with its reason, and the command that shows
// more (`command` and --verdict; none where it is "").
std::string rejections_text(std::span<const Rejection> rejections, const std::string& command,
                            Shown which = Shown::frequent);

// Returns "the answer is of few: ..." for a search in which few survived.
std::string few_survived_text(std::int64_t survivors, std::int64_t trials);

}  // namespace attune::cli
