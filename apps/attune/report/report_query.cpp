#include "report/report_query.hpp"

#include <filesystem>
#include <limits>

#include "attune/error.hpp"
#include "base/shell_word.hpp"
#include "expression/assignments.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

// Returns the name of the kernel that was tuned last. Throws UsageError where none was.
std::string last_kernel(WisdomStore& store) {
  std::string last;
  std::int64_t started_ms = std::numeric_limits<std::int64_t>::min();
  for (const KernelTotals& totals : store.kernel_totals())
    for (const SessionRow& session : store.sessions(totals.kernel)) {
      if (session.trials == 0 || session.started_ms <= started_ms) continue;
      last = totals.kernel;
      started_ms = session.started_ms;
    }
  if (last.empty()) throw UsageError("the database has no session with trials; tune first: attune tune KERNEL");
  return last;
}

}  // namespace

ReportQuery report_query(const Options& options, const std::string& given, std::optional<WisdomStore>& store) {
  if (!store)
    throw UsageError("nothing is known yet; tune first: attune tune " + (given.empty() ? "KERNEL" : shell_word(given)));
  ReportQuery query;
  const bool is_file = is_kernel_file(given);
  const std::string name = given.empty() ? last_kernel(*store) : given;
  query.spec = is_file ? load_kernel(given) : builtin_kernel(name);
  query.kernel = is_file ? query.spec->name : name;
  query.called = is_file ? std::filesystem::path(given).filename().string() : name;
  query.problem = parse_bindings(options.text("problem").value_or(""));
  query.device = options.text("device").value_or("");
  if (!query.spec) require_known(query.kernel, read_kept(store));
  return query;
}

}  // namespace attune::cli
