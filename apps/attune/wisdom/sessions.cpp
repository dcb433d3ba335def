// attune sessions: the stored searches.
#include <fmt/format.h>

#include <limits>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/duration_text.hpp"
#include "base/enum_texts.hpp"
#include "db/wisdom_look.hpp"
#include "exports/session_log.hpp"
#include "json_lines.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "wisdom/key_filter.hpp"
#include "wisdom/row_output.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr long long most_in_text = 20;
constexpr EnumTexts<SessionState> state_texts("running", "partial", "finished");

// Returns how often the default that was timed nearest to a trial takes as long as the trial; nothing without one.
std::optional<double> gain_of(const Trial& trial) {
  const double median = trial.measurement.median_ns;
  return trial.anchor_ns > 0 && median > 0 ? std::optional(trial.anchor_ns / median) : std::nullopt;
}

Json json_of(const SessionRow& session, const std::optional<Trial>& best) {
  const RecordKey& key = session.key.record;
  const std::optional<double> gain = best ? gain_of(*best) : std::nullopt;
  return {{"session", session.id},
          {"uuid", session.uuid},
          {"kernel", key.kernel},
          {"problem", to_json(key.problem)},
          {"device_class", key.device_class},
          {"regime", key.regime},
          {"objective", key.objective},
          {"effort", to_text(session.key.effort)},
          {"strategy", session.key.strategy},
          {"state", state_texts[session.state]},
          {"trials", session.trials},
          {"best_ns", best ? Json(best->measurement.median_ns) : Json()},
          {"gain", gain ? Json(*gain) : Json()},
          {"configuration", best ? to_json(best->configuration) : Json()},
          {"started_ms", session.started_ms},
          {"seconds", session.used_seconds},
          {"host", session.host},
          {"seed", session.seed},
          {"toolchain", session.toolchain},
          {"driver", session.driver},
          {"attune_version", session.attune_version},
          {"code", key.code},
          {"contract", key.contract},
          {"space", session.key.space}};
}

void show_session(const SessionRow& session, const std::optional<Trial>& best) {
  const RecordKey& key = session.key.record;
  std::string what = fmt::format("{} {}", key.kernel, key.problem.text());
  if (key.regime != "cold" || key.objective != "time") what += fmt::format(", {}, {}", key.objective, key.regime);
  const std::optional<double> gain = best ? gain_of(*best) : std::nullopt;
  what += best ? fmt::format(": best {}", time_text(best->measurement.median_ns)) : ": nothing survived";
  if (gain) what += fmt::format(", {} over the default", ratio_text(*gain));
  const std::string how = fmt::format("{} on {}{}: effort {}, {}, {}: {} in {}", utc_text(session.started_ms),
                                      session.host.empty() ? "" : session.host + ", ", device_name_of(key.device_class),
                                      to_text(session.key.effort), session.key.strategy, state_texts[session.state],
                                      counted(session.trials, "trial"), duration_text(session.used_seconds));
  constexpr std::size_t column = 8;
  put_text("{:>6}  {}\n{:{}}{}\n", session.id, in_lines(what, column), "", column, in_lines(how, column));
}

}  // namespace

int run_sessions(const Arguments& arguments) {
  Options options("attune sessions [KERNEL|FILE.cu] [options]",
                  "  attune sessions\n  attune sessions transpose --problem \"width=8192\" --limit 5\n"
                  "  attune sessions --csv > sessions.csv\n",
                  {"kernel"});
  add_key_options(options);
  options.add()("limit", named_value("N"), "at most so many, the newest first (default: 20 as text, else all)");
  add_form_options(options);
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const OutputForm form = output_form_of(options);
  const KeyFilter filter = key_filter_of(options);
  const auto kernel = options.text("kernel");
  const std::string name = kernel ? kernel_name(*kernel) : "";
  constexpr auto all = std::numeric_limits<long long>::max();
  const auto limit = static_cast<std::size_t>(
      options.integer("limit", 1, all).value_or(form == OutputForm::text ? most_in_text : all));
  std::optional<WisdomStore> store = open_store(options);
  if (kernel) require_known_or_builtin(*kernel, store);
  std::vector<SessionRow> sessions = store ? store->sessions(name) : std::vector<SessionRow>();
  std::erase_if(sessions, [&](const SessionRow& session) { return !filter.includes(session.key.record); });
  std::vector<Json> rows;
  for (std::size_t i = 0; i < sessions.size() && i < limit; ++i) {
    std::vector<Trial> best = best_trials(*store, sessions[i].id, 1);
    const std::optional<Trial> first = best.empty() ? std::nullopt : std::optional(std::move(best.front()));
    if (form == OutputForm::text)
      show_session(sessions[i], first);
    else
      rows.push_back(json_of(sessions[i], first));
  }
  if (form != OutputForm::text)
    print_rows(form, "session", rows);
  else if (sessions.empty())
    put_text("no such sessions{}\n", kernel ? " of " + name : "");
  else if (sessions.size() > limit)
    put_text("  {} more: --limit {} shows them\n", sessions.size() - limit, sessions.size());
  if (store) note_damage(*store);
  return exit_done;
}

}  // namespace attune::cli
