#include "report/report_query.hpp"

#include <filesystem>

#include "attune/error.hpp"
#include "base/shell_word.hpp"
#include "expression/assignments.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"

namespace attune::cli {

ReportQuery report_query(const Options& options, const std::string& given, std::optional<WisdomStore>& store) {
  ReportQuery query;
  const bool is_file = is_kernel_file(given);
  if (!given.empty()) query.spec = is_file ? load_kernel(given) : builtin_kernel(given);
  query.kernel = query.spec ? query.spec->name : given;
  query.called = is_file ? std::filesystem::path(given).filename().string() : given;
  query.problem = parse_bindings(options.text("problem").value_or(""));
  query.device = options.text("device").value_or("");
  if (!query.spec && !given.empty()) require_known(given, read_kept(store));
  if (!store)
    throw UsageError("nothing is known yet; tune first: attune tune " + (given.empty() ? "KERNEL" : shell_word(given)));
  return query;
}

}  // namespace attune::cli
