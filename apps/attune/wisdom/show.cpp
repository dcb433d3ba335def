// attune list, attune show: the stored wisdom.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "apps/terminal/help_text.hpp"
#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "configuration_text.hpp"
#include "db/wisdom_store.hpp"
#include "json_lines.hpp"
#include "occupancy_text.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "rates.hpp"
#include "record_text.hpp"
#include "rejection_text.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t least_name_columns = 12;

nlohmann::ordered_json kept_json(const std::string& kernel, const StoredCounts& kept) {
  return {{"type", "kernel"},
          {"kernel", kernel},
          {"records", kept.records},
          {"trials", kept.trials},
          {"sessions", kept.sessions}};
}

// Returns ", 3.91 TB/s, 83 % of the measured copy ceiling", for a record of this very kernel on a calibrated device.
std::string rate_and_bound(const Record& record, const std::optional<KernelSpec>& spec, WisdomStore& store) {
  if (!spec || spec->fingerprints.contract != record.key.contract) return "";
  const std::vector<Ceiling> ceilings = store.ceilings(record.key.device_class);
  const std::string bound = bound_text(shown_bound(*spec, record, record.median_ns, ceilings));
  return bound.empty()
             ? ""
             : ", " + rate_text(*spec, record.key.problem, record.configuration, record.median_ns) + ", " + bound;
}

// Returns whether a record is of another text of the kernel, and so applies to none of its launches.
bool is_of_other_code(const Record& record, const KernelSpec& spec) {
  return record.key.code != spec.fingerprints.code || record.key.contract != spec.fingerprints.contract;
}

// Returns a line about a record that is of another text of `kernel`, as it is called; "" where no text is at hand.
std::string other_code_text(const Record& record, const std::optional<KernelSpec>& spec, const std::string& kernel) {
  if (!spec || !is_of_other_code(record, *spec)) return "";
  const bool same_code = record.key.code == spec->fingerprints.code;
  return fmt::format("  of other code  it does not apply to {}: {}\n", kernel,
                     same_code ? "[problem], [[launch]] or [arguments] differ" : "the code differs");
}

// Returns what occupancy the winner has, as far as that is known of this very text of the kernel; else "".
std::string occupancy_fact(const Record& record, const std::optional<KernelSpec>& spec, WisdomStore& store) {
  if (!spec || is_of_other_code(record, *spec)) return "";
  const std::string text = recorded_occupancy(record, *spec, store.known_trials(record.key, record.space));
  return text.empty() ? "" : fact_line("occupancy", text);
}

// Returns what the newest search for a record's key in its space tried, and why it was rejected.
std::string tried_text(const Record& record, const std::vector<SessionRow>& sessions, WisdomStore& store) {
  const auto of_record = [&](const SessionRow& session) {
    const RecordKey& key = session.key.record;
    return session.key.space == record.space && key.code == record.key.code && key.contract == record.key.contract &&
           key.device_class == record.key.device_class && key.problem == record.key.problem &&
           key.regime == record.key.regime && key.objective == record.key.objective;
  };
  const auto session = std::find_if(sessions.begin(), sessions.end(), of_record);
  if (session == sessions.end()) return "";
  Rejections rejections;
  VerdictCounts counts;
  for (const Trial& trial : store.trials(session->id)) {
    rejections.see(trial);
    ++counts[trial.verdict];
  }
  std::string text =
      fact_line("tried", fmt::format("{}: {}", counted(rejections.trials(), "configuration"), verdicts_text(counts)));
  text +=
      rejections_text(rejections.list(), trials_command(record.key.kernel, record.key.problem, store.file().string()));
  if (rejections.few_survive()) text += "  " + few_survived_text(rejections.survivors(), rejections.trials());
  return text;
}

void show_record(const Record& record, const std::string& reached, const std::string& other_code,
                 const std::vector<FinalistResult>& finalists, const std::string& facts, bool verbose) {
  put_text("{}\n  on {}{}\n", in_lines(record.key.kernel + " " + record.key.problem.text(), 2), record.device_name,
           is_of_host(record) ? " (host)" : "");
  put_text("{}", other_code);
  if (record.key.regime != "cold" || record.key.objective != "time")
    put_text("{}", fact_line("tuned for", record.key.objective + ", " + record.key.regime));
  put_text("{}", fact_line("configuration", whole_text(record.configuration)));
  put_text("{}",
           fact_line("time", time_text(record.median_ns) + reached + "; " + gain_text(record) + marks_text(record)));
  if (const std::string choice = choice_text(record); !choice.empty()) put_text("{}", fact_line("chosen", choice));
  put_text("{}", fact_line("found", fmt::format("{}, effort {}{}, {}, seed {}", utc_text(record.made_ms),
                                                to_text(record.effort), record.partial ? " (cut short)" : "",
                                                counted(record.trials, "trial"), record.seed)));
  put_text("{}", facts);
  put_text("{}{}{}", winner_text(record, finalists), finalists_text(record, finalists, verbose),
           front_text(record, finalists, verbose));
  put_text("{}", fact_line("with", fmt::format("attune {}, {}, driver {}", record.attune_version, record.toolchain,
                                               record.driver)));
}

}  // namespace

int run_list(const Arguments& arguments) {
  Options options("attune list [options]", "  attune list\n  attune list --json\n");
  add_database_option(options);
  options.add()("json", "one JSON object per kernel instead of text");
  if (options.parse(arguments)) return exit_done;
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, StoredCounts> others = read_kept(store);
  std::size_t width = least_name_columns;
  for (const auto& [name, unused] : others) width = std::max(width, name.size());
  std::vector<KernelSpec> builtin;
  for (const EmbeddedFile& file : builtin_kernels()) builtin.push_back(read_embedded_kernel(file));
  const std::size_t columns = output_columns();
  const auto show = [&](const std::string& name, const std::string& summary, bool is_builtin) {
    const StoredCounts kept = others[name];
    if (!options.has("json")) {
      const std::string kept_of_it = kept.sessions > 0 || kept.records > 0 ? "\n" + kept_text(kept) : "";
      put_text("{:<{}}  {}\n", name, width,
               wrapped((is_builtin ? summary : "(not built in)") + kept_of_it, columns, width + 2));
      return;
    }
    nlohmann::ordered_json line = kept_json(name, kept);
    line["builtin"] = is_builtin;
    if (is_builtin) line["summary"] = summary;
    print_line(line);
  };
  for (const KernelSpec& spec : builtin) {
    show(spec.name, spec.summary, true);
    others.erase(spec.name);
  }
  for (const auto& [name, unused] : others) show(name, "", false);
  return exit_done;
}

int run_show(const Arguments& arguments) {
  Options options("attune show KERNEL|FILE.cu [options]", "  attune show transpose\n  attune show transpose --json\n",
                  {"kernel"});
  add_database_option(options);
  options.add()("verbose,v", "whole configurations of finalists, not what differs from the best")(
      "json", "one JSON object per line instead of text: records, their finalists, and counts");
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const bool is_file = is_kernel_file(given);
  const std::optional<KernelSpec> spec = is_file ? load_kernel(given) : builtin_kernel(given);
  const std::string kernel = is_file ? spec->name : given;
  const std::string called = is_file ? given : "the built-in " + given;
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, StoredCounts> kept = read_kept(store);
  if (!spec) require_known(kernel, kept);
  const std::vector<SessionRow> sessions = store ? store->sessions(kernel) : std::vector<SessionRow>();
  if (store)
    for (const Record& record : store->records(kernel)) {
      const std::vector<FinalistResult> finalists = store->finalists(record.uuid);
      if (options.has("json"))
        print_record(record, finalists, spec ? std::optional(is_of_other_code(record, *spec)) : std::nullopt);
      else
        show_record(record, rate_and_bound(record, spec, *store), other_code_text(record, spec, called), finalists,
                    occupancy_fact(record, spec, *store) + tried_text(record, sessions, *store),
                    options.has("verbose"));
    }
  if (options.has("json")) {
    print_line(kept_json(kernel, kept[kernel]));
  } else {
    if (kept[kernel].records == 0)
      put_text("no records of {} yet (try: attune tune {})\n", kernel, spec ? shell_word(given) : "FILE.cu");
    if (kept[kernel].sessions > 0) put_text("{}: {}\n", kernel, kept_text(kept[kernel]));
  }
  return exit_done;
}

}  // namespace attune::cli
