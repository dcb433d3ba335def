// A table of configurations and times, such as any script writes it, as a recording. Pure; any thread.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "space/recording.hpp"

namespace attune {

struct TimesTable {
  Recording recording;
  std::vector<std::string> ignored;  // columns
};

// Reads rows whose first one names the columns. `parameters` names the columns with values of parameters. The time is
// in the column time_ns, time_us, time_ms, time_s or median_ns. A column `verdict`, if there is one, has names of
// verdicts; other columns are ignored. Throws UsageError naming the row, and for two rows of one configuration.
TimesTable read_times(const std::vector<std::vector<std::string>>& rows, const std::set<std::string>& parameters);

}  // namespace attune
