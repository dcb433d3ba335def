// attune show: the records of a kernel, and what is stored beside them.
#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <iostream>
#include <limits>
#include <map>
#include <vector>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "base/visible_text.hpp"
#include "configuration_text.hpp"
#include "core/record_fields.hpp"
#include "db/wisdom_look.hpp"
#include "db/wisdom_store.hpp"
#include "exports/records_csv.hpp"
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
#include "wisdom/key_filter.hpp"
#include "wisdom/row_output.hpp"
#include "wisdom/show_more.hpp"

namespace attune::cli {
namespace {

constexpr long long most_records_in_text = 20;

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
  const std::optional<Trial> trial = newest_trial(store, record.key, record.configuration);
  const std::string text = trial ? recorded_occupancy(record, *spec, *trial) : "";
  return text.empty() ? "" : fact_line("occupancy", text);
}

std::string with_text(const Record& record) {
  std::string text = "attune " + record.attune_version;
  if (!record.toolchain.empty()) text += ", " + record.toolchain;
  return record.driver.empty() ? text : text + ", driver " + record.driver;
}

// What is said of a record beside its own fields.
struct BesideRecord {
  std::string reached;     // rate and bound, behind the time
  std::string other_code;  // a line
  std::string facts;       // lines behind when it was found
  std::string more;        // lines behind the finalists
};

void show_record(const Record& record, const BesideRecord& beside, const std::vector<FinalistResult>& finalists,
                 bool verbose) {
  put_text("{}\n  on {}{}\n", in_lines(record.key.kernel + " " + record.key.problem.text(), 2), record.device_name,
           is_of_host(record) ? " (host)" : "");
  put_text("{}", beside.other_code);
  if (record.key.regime != "cold" || record.key.objective != "time")
    put_text("{}", fact_line("tuned for", record.key.objective + ", " + record.key.regime));
  put_text("{}", fact_line("configuration", whole_text(record.configuration)));
  const std::string time = record.median_ns > 0
                               ? time_text(record.median_ns) + beside.reached + "; " + gain_text(record)
                               : "this configuration was not measured";
  put_text("{}", fact_line("time", time + marks_text(record)));
  if (const std::string choice = choice_text(record); !choice.empty()) put_text("{}", fact_line("chosen", choice));
  if (record.origin == Origin::pinned)
    put_text("{}", fact_line("pinned", utc_text(record.made_ms)));
  else
    put_text("{}", fact_line("found", fmt::format("{}, effort {}{}, {}, seed {}", utc_text(record.made_ms),
                                                  to_text(record.effort), record.partial ? " (cut short)" : "",
                                                  counted(record.trials, "trial"), record.seed)));
  put_text("{}", beside.facts);
  put_text("{}{}{}", winner_text(record, finalists), finalists_text(record, finalists, verbose),
           front_text(record, finalists, verbose));
  put_text("{}{}", beside.more, fact_line("with", with_text(record)));
}

Options show_options() {
  Options options("attune show KERNEL|FILE.cu [options]",
                  "  attune show transpose\n  attune show transpose --problem \"width=8192\" --device H200\n"
                  "  attune show transpose --json\n  attune show transpose --csv > records.csv\n",
                  {"kernel"});
  add_key_options(options);
  options.add()("limit", named_value("N"), "at most so many records (default: 20 as text, else all)")(
      "verbose,v", "whole configurations, not what differs from the best");
  add_form_options(options, "one JSON object per line: records, what is stored beside them, and counts");
  add_database_option(options);
  return options;
}

// What is shown, and how.
struct ShowQuery {
  std::string given, kernel;       // as it was given; its name
  std::optional<KernelSpec> spec;  // nothing where its text is not at hand
  OutputForm form;
  bool verbose;

  std::string called() const { return is_kernel_file(given) ? given : "the built-in " + given; }
};

void show_one(const ShowQuery& query, const Record& record, const std::vector<SessionRow>& sessions,
              WisdomStore& store) {
  const std::vector<FinalistResult> finalists = store.finalists(record.uuid);
  const MoreOfRecord more = more_of(record, finalists, sessions, store);
  if (query.form == OutputForm::json) {
    print_record(record, finalists, query.spec ? std::optional(is_of_other_code(record, *query.spec)) : std::nullopt);
    print_more(record, more);
    return;
  }
  const std::string command = trials_command(record.key.kernel, record.key.problem, store.file().string());
  const BesideRecord beside{
      .reached = rate_and_bound(record, query.spec, store),
      .other_code = other_code_text(record, query.spec, query.called()),
      .facts = more.conditions + occupancy_fact(record, query.spec, store) + tried_text(more, command),
      .more = more_text(record, more, query.verbose)};
  show_record(record, beside, finalists, query.verbose);
}

void show_end(const ShowQuery& query, const StoredCounts& kept, std::size_t found, std::size_t shown) {
  if (query.form == OutputForm::json) return print_line(kept_json(query.kernel, kept));
  if (shown < found) put_text("{}: --limit {} shows them\n", counted(found - shown, "more record"), found);
  if (kept.records == 0)
    put_text("no records of {} yet (try: attune tune {})\n", query.kernel,
             query.spec ? shell_word(query.given) : "FILE.cu");
  else if (found == 0)
    put_text("no such records of {}\n", query.kernel);
  if (kept.sessions > 0) put_text("{}: {}\n", query.kernel, kept_text(kept));
}

}  // namespace

int run_show(const Arguments& arguments) {
  Options options = show_options();
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel");
  const bool is_file = is_kernel_file(given);
  std::optional<KernelSpec> spec = is_file ? load_kernel(given) : builtin_kernel(given);
  const std::string kernel = is_file ? spec->name : given;
  const ShowQuery query{given, kernel, std::move(spec), output_form_of(options), options.has("verbose")};
  const KeyFilter filter = key_filter_of(options);
  constexpr auto all = std::numeric_limits<long long>::max();
  const auto limit = static_cast<std::size_t>(
      options.integer("limit", 1, all).value_or(query.form == OutputForm::text ? most_records_in_text : all));
  std::optional<WisdomStore> store = open_store(options);
  std::map<std::string, StoredCounts> kept = read_kept(store);
  if (!query.spec) require_known(kernel, kept);
  std::vector<Record> records = store ? store->records(kernel) : std::vector<Record>();
  std::erase_if(records, [&](const Record& record) { return !filter.includes(record.key); });
  const std::size_t shown = std::min(records.size(), limit);
  if (query.form == OutputForm::csv) {
    records.resize(shown);
    const auto make_visible = [](const char*, auto& value) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(value)>, std::string>) value = visible_text(value);
    };
    for (Record& record : records) fields(make_visible, record);
    const std::string text = records_to_csv(records);
    std::cout << text;
    return exit_done;
  }
  const std::vector<SessionRow> sessions = store ? store->sessions(kernel) : std::vector<SessionRow>();
  for (std::size_t i = 0; i < shown; ++i) show_one(query, records[i], sessions, *store);
  show_end(query, kept[kernel], records.size(), shown);
  return exit_done;
}

}  // namespace attune::cli
