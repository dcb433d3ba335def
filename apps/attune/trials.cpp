// attune trials
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/counted.hpp"
#include "base/enum_texts.hpp"
#include "base/near_name.hpp"
#include "base/visible_text.hpp"
#include "configuration_text.hpp"
#include "exports/records_csv.hpp"
#include "exports/records_json.hpp"
#include "expression/assignments.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "rejection_text.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "wisdom/key_filter.hpp"
#include "wisdom/row_output.hpp"

namespace attune::cli {
namespace {

constexpr long long most_in_text = 20;
constexpr std::size_t verdict_columns = 15;  // of the longest, and of a time
constexpr std::size_t configuration_column = 2 + verdict_columns + 2;

Options trials_options() {
  Options options("attune trials KERNEL|FILE.cu [options]",
                  "  attune trials transpose\n"
                  "  attune trials transpose --problem \"width=8192\" --verdict wrong_result\n"
                  "  attune trials my_kernel.cu --verdict failed --sort order --details\n"
                  "  attune trials transpose --csv > trials.csv\n",
                  {"kernel"});
  add_key_options(options);
  options.add()("verdict", named_value("VERDICT"),
                "with one of these verdicts: ok, failed (all but ok), wrong_result,...")(
      "sort", named_value("ORDER"),
      "time (default; those that failed follow), order of trying, compile (the longest first), error (the largest "
      "share of the tolerance first)")("limit", named_value("N"),
                                       "so many of each session (default: 20 as text, else all)")(
      "details", "as text: whole details, such as a compiler's log")("verbose,v", "as text: whole configurations");
  add_form_options(options);
  add_database_option(options);
  return options;
}

std::vector<Verdict> all_verdicts() {
  std::vector<Verdict> all;
  for (int i = 0; i < enum_size<Verdict>(); ++i) all.push_back(static_cast<Verdict>(i));
  return all;
}

// Throws UsageError for a name that is none.
std::vector<Verdict> wanted_verdicts(const std::optional<std::string>& text) {
  std::vector<Verdict> all = all_verdicts(), wanted;
  if (!text) return all;
  for (const std::string& name : split_at_commas(*text)) {
    if (name == "failed") {
      wanted.insert(wanted.end(), all.begin() + 1, all.end());
      continue;
    }
    const std::optional<Verdict> verdict = verdict_from_text(name);
    if (!verdict) {
      std::vector<std::string> names{"failed"};
      for (const Verdict one : all) names.emplace_back(to_text(one));
      throw UsageError("unknown verdict `" + name + "`" + suggestion(name, names));
    }
    wanted.push_back(*verdict);
  }
  return wanted;
}

using Before = bool (*)(const Trial& a, const Trial& b);

// Throws UsageError for a name that is none.
Before order_of(const std::string& name) {
  if (name == "time")
    return [](const Trial& a, const Trial& b) {
      if ((a.verdict == Verdict::ok) != (b.verdict == Verdict::ok)) return a.verdict == Verdict::ok;
      return a.verdict == Verdict::ok ? a.measurement.median_ns < b.measurement.median_ns : a.verdict < b.verdict;
    };
  if (name == "order") return [](const Trial&, const Trial&) { return false; };
  if (name == "compile") return [](const Trial& a, const Trial& b) { return a.compile_ms > b.compile_ms; };
  if (name == "error")
    return [](const Trial& a, const Trial& b) { return a.numerics.max_share > b.numerics.max_share; };
  throw UsageError("unknown order `" + name + "`" + suggestion(name, {"time", "order", "compile", "error"}) +
                   "; it is time, order, compile or error");
}

// What is asked for.
struct TrialQuery {
  KeyFilter keys;
  std::vector<Verdict> verdicts;
  Before before = nullptr;
  std::size_t limit = 0;
  bool details = false, verbose = false;

  bool includes(const Trial& trial) const {
    return std::find(verdicts.begin(), verdicts.end(), trial.verdict) != verdicts.end();
  }
};

TrialQuery query_of(const Options& options) {
  const bool is_text = output_form_of(options) == OutputForm::text;
  TrialQuery wanted;
  wanted.keys = key_filter_of(options);
  wanted.verdicts = wanted_verdicts(options.text("verdict"));
  wanted.before = order_of(options.text("sort").value_or("time"));
  constexpr auto all = std::numeric_limits<long long>::max();
  wanted.limit = static_cast<std::size_t>(options.integer("limit", 1, all).value_or(is_text ? most_in_text : all));
  wanted.details = options.has("details");
  wanted.verbose = options.has("verbose");
  return wanted;
}

// The first trial is shown whole, the others as what differs from it.
void show_trial(const Trial& trial, const Trial& first, const TrialQuery& wanted) {
  const bool is_right = trial.verdict == Verdict::ok, is_whole = wanted.verbose || &trial == &first;
  put_text(
      "  {:>{}}  {}\n", is_right ? time_text(trial.measurement.median_ns) : std::string(to_text(trial.verdict)),
      verdict_columns,
      in_lines(difference_text(trial.configuration, is_whole ? Configuration() : first.configuration, "as the first"),
               configuration_column));
  if (trial.detail.empty()) return;
  if (wanted.details)
    put_text("{}\n", trial.detail);
  else
    put_text("{:{}}{}\n", "", configuration_column, in_lines(reason_of(trial.detail), configuration_column));
}

void show_session(const SessionRow& session, const std::vector<Trial>& all, const std::vector<Trial>& chosen,
                  const TrialQuery& wanted) {
  const RecordKey& key = session.key.record;
  VerdictCounts counts;
  for (const Trial& trial : all) ++counts[trial.verdict];
  put_text("{}\n", in_lines(fmt::format("{} {} on {}, {}, {}", key.kernel, key.problem.text(), key.device_class,
                                        key.regime, key.objective),
                            2));
  put_text("  {}\n",
           in_lines(fmt::format("{}, effort {}, {}: {}: {}", utc_text(session.started_ms), to_text(session.key.effort),
                                session.key.strategy, counted(all.size(), "trial"), verdicts_text(counts)),
                    4));
  const std::size_t shown = std::min(chosen.size(), wanted.limit);
  if (shown > 1 && !wanted.verbose) put_text("{}", indented_line(beside_text(Beside::first)));
  for (std::size_t i = 0; i < shown; ++i) show_trial(chosen[i], chosen.front(), wanted);
  if (shown < chosen.size()) put_text("  {} more: --limit {} shows them\n", chosen.size() - shown, chosen.size());
}

void put_csv(std::vector<KeyedTrial> listed) {
  for (KeyedTrial& keyed : listed) keyed.trial.detail = visible_text(keyed.trial.detail);
  const std::string text = trials_to_csv(listed);
  std::cout << text;
}

void put_json(const std::vector<KeyedTrial>& listed) {
  for (const KeyedTrial& trial : listed) print_line("trial", attune::to_json(trial));
}

}  // namespace

int run_trials(const Arguments& arguments) {
  Options options = trials_options();
  if (options.parse(arguments)) return exit_done;
  const std::string given = options.required("kernel"), kernel = kernel_name(given);
  const TrialQuery wanted = query_of(options);
  std::optional<WisdomStore> store = open_store(options);
  require_known_or_builtin(given, store);
  std::vector<KeyedTrial> listed;
  std::size_t sessions = 0, found = 0;
  for (const SessionRow& session : store ? store->sessions(kernel) : std::vector<SessionRow>()) {
    if (!wanted.keys.includes(session.key.record)) continue;
    ++sessions;
    const std::vector<Trial> all = store->trials(session.id);
    std::vector<Trial> chosen;
    std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
                 [&](const Trial& trial) { return wanted.includes(trial); });
    std::stable_sort(chosen.begin(), chosen.end(), wanted.before);
    found += chosen.size();
    if (!options.has("json") && !options.has("csv")) {
      if (!chosen.empty()) show_session(session, all, chosen, wanted);
      continue;
    }
    if (chosen.size() > wanted.limit) chosen.resize(wanted.limit);
    for (Trial& trial : chosen) listed.push_back({session.key.record, session.id, std::move(trial)});
  }
  if (options.has("csv")) {
    put_csv(std::move(listed));
  } else if (options.has("json")) {
    put_json(listed);
  } else if (found == 0) {
    put_text("no such trials of {} in {}\n", kernel, counted(sessions, "session"));
  }
  if (store) note_damage(*store);
  return exit_done;
}

}  // namespace attune::cli
