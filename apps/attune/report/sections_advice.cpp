#include "report/report_sections.hpp"
namespace attune::cli {
ReportSection advice_section(const ReportData&) { return {}; }
}  // namespace attune::cli
