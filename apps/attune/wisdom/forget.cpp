// attune forget: removes records and sessions.
#include <fmt/format.h>

#include <limits>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "db/wisdom_forget.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"
#include "wisdom/key_filter.hpp"

namespace attune::cli {
namespace {

Forgetting forgetting_of(const Options& options) {
  const bool records = options.has("records"), sessions = options.has("sessions");
  const auto kernel = options.text("kernel");
  Forgetting what;
  what.session = options.integer("session", 1, std::numeric_limits<long long>::max());
  if (what.session && (kernel || records || sessions || options.has("all") || !key_filter_of(options).includes_all()))
    throw UsageError("--session names one session by its number, and goes with nothing else");
  if (kernel && options.has("all")) throw UsageError("--all means all kernels; name one, or give --all");
  if (!kernel && !options.has("all") && !what.session)
    throw UsageError("name a kernel; `attune forget --all` forgets all kernels");
  if (kernel) what.kernel = kernel_name(*kernel);
  what.includes = [filter = key_filter_of(options)](const RecordKey& key) { return filter.includes(key); };
  what.records = records || !sessions;
  what.sessions = sessions || !records;
  return what;
}

std::string gone_text(const Forgotten& gone) {
  std::string text = counted(gone.records, "record");
  if (gone.sessions > 0)
    text += fmt::format(" and {} with {}", counted(gone.sessions, "session"), counted(gone.trials, "trial"));
  if (gone.covers > 0) text += " and " + counted(gone.covers, "cover");
  return text;
}

}  // namespace

int run_forget(const Arguments& arguments) {
  Options options("attune forget KERNEL|FILE.cu [options]",
                  "  attune forget transpose --dry-run\n  attune forget transpose --problem \"width=8192\" --records\n"
                  "  attune forget --session 17\n  attune forget --all --device host\n",
                  {"kernel"});
  add_key_options(options);
  options.add()("records", "records alone")("sessions", "sessions with their trials alone")(
      "session", named_value("N"), "the session with this number (see: attune sessions)")("all", "of all kernels")(
      "dry-run", "say what would go, and change nothing")("json", "one JSON object instead of text");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const Forgetting what = forgetting_of(options);
  const bool is_trial_run = options.has("dry-run");
  std::optional<WisdomStore> store = is_trial_run ? open_store(options) : open_store_to_change(options);
  if (options.has("kernel")) require_known_or_builtin(options.required("kernel"), store);
  const Forgotten gone = store ? forget(*store, what, is_trial_run) : Forgotten{};
  if (options.has("json")) {
    print_line({{"type", "forgotten"},
                {"dry_run", is_trial_run},
                {"records", gone.records},
                {"sessions", gone.sessions},
                {"trials", gone.trials},
                {"quarantined", gone.quarantined},
                {"covers", gone.covers}});
  } else if (gone.is_nothing()) {
    put_text("there is nothing to forget\n");
  } else {
    put_text("{} {}\n", is_trial_run ? "would forget" : "forgot", gone_text(gone));
    if (gone.quarantined > 0)
      put_text("  {} in quarantine may be launched again\n", counted(gone.quarantined, "configuration"));
  }
  return exit_done;
}

}  // namespace attune::cli
