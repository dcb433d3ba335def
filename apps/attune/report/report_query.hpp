// Which session a command is about: its KERNEL|FILE.cu, --problem and --device.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"
#include "report/report_data.hpp"

namespace attune::cli {

// `given`: KERNEL or FILE.cu; "" for the kernel that was tuned last. Throws UsageError without a
// database, and for a kernel that it does not know.
ReportQuery report_query(const Options& options, const std::string& given, std::optional<WisdomStore>& store);

}  // namespace attune::cli
