// Which session a command is about: its KERNEL|FILE.cu, --problem and --device.
#pragma once

#include <optional>
#include <string>

#include "options.hpp"
#include "report/report_data.hpp"

namespace attune::cli {

// `given`: KERNEL or FILE.cu; "" for any kernel. Throws Error without a database, and UsageError for a kernel that the
// database does not know.
ReportQuery report_query(const Options& options, const std::string& given, std::optional<WisdomStore>& store);

}  // namespace attune::cli
