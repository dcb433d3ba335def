// What to use, how much faster it is, and how sure that is; and what to run next.
#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "configuration_text.hpp"
#include "kernel/nearness.hpp"
#include "rates.hpp"
#include "record_text.hpp"
#include "report/device_use.hpp"
#include "report/report_sections.hpp"
#include "session/effort.hpp"
#include "session/rejections.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t most_tied = 4;

std::string device_text(const ReportData& data) {
  if (data.record) return data.record->device_name + (is_of_host(*data.record) ? " (host)" : "");
  return data.device && !data.device->name.empty() ? data.device->name : data.session.key.record.device_class;
}

std::string conditions_text(const ReportData& data) {
  const RecordKey& key = data.session.key.record;
  return fmt::format("{} on {}; {} launches, objective {}", key.problem.empty() ? "no sizes" : key.problem.text(),
                     device_text(data), key.regime, key.objective);
}

// Returns the texts of those finalists that are as fast as the best.
std::string tied_text(const ReportData& data) {
  const FinalistResult* const best = best_finalist(data);
  if (best == nullptr) return "";
  std::size_t tied = 0;
  std::string text;
  for (const FinalistResult& finalist : data.finalists) {
    const auto ratio = &finalist == best ? std::nullopt : ratio_to(finalist, *best);
    if (!ratio || !is_tied(*ratio)) continue;
    if (++tied <= most_tied)
      text += (text.empty() ? "" : "; ") + difference_text(finalist.configuration, best->configuration, "the same");
  }
  if (tied > most_tied) text += fmt::format("; and {} more", tied - most_tied);
  return tied == 0 ? "none of the finalists" : text;
}

std::string sureness_text(const ReportData& data) {
  const Record& record = *data.record;
  std::string text = record.settled && !record.unstable ? "settled" : "";
  if (record.rounds > 0 && !record.unstable) {
    text += (text.empty() ? "" : ": ") + counted(record.rounds, "round") + " of the final stage count";
    if (record.rounds_dropped > 0) text += fmt::format(", {} were not steady", record.rounds_dropped);
  }
  const std::string marks = marks_text(record);
  return text.empty() && marks.starts_with("; ") ? marks.substr(2) : text + marks;
}

std::string searched_text(const ReportData& data) {
  const SessionRow& session = data.session;
  std::string text = counted(data.trials.size(), "trial");
  if (data.legal) text += fmt::format(" of {} legal configurations", count_text(*data.legal));
  text += fmt::format(" in {:.4g} s; strategy {}, effort {}, seed {}", session.used_seconds, session.key.strategy,
                      to_text(session.key.effort), session.seed);
  return text + (session.state == SessionState::finished ? "" : "; cut short");
}

std::string limit_text(const ReportData& data, const Trial& best) {
  std::string text;
  if (const auto use = block_use_of(data, best)) text = "occupancy " + occupancy_text(*use, *data.limits);
  if (!data.spec || !data.record) return text;
  const std::string bound = bound_text(shown_bound(*data.spec, *data.record, data.record->median_ns, data.ceilings));
  return text + (text.empty() || bound.empty() ? "" : "; ") + bound;
}

// Returns the arguments that name the session's kernel, problem and device.
std::string subject_text(const ReportData& data) {
  const RecordKey& key = data.session.key.record;
  std::string text = data.spec ? shell_word(data.called) : "FILE.cu";
  if (!key.problem.empty()) text += " --problem " + shell_word(key.problem.text());
  return text + (kind_of(key.device_class) == "host" ? " --device host" : "");
}

std::string terms_text(const ReportData& data) {
  const RecordKey& key = data.session.key.record;
  std::string text = key.regime == "cold" ? "" : " --regime " + shell_word(key.regime);
  if (key.objective != "time") text += " --objective " + shell_word(key.objective);
  return text;
}

// Returns the command that goes on with the session.
std::string tune_command(const ReportData& data, const std::string& about) {
  const SessionKey& key = data.session.key;
  std::string text = "attune tune " + about + terms_text(data);
  if (key.effort != Effort::measure) text += " --effort " + std::string(to_text(key.effort));
  if (key.strategy != effort_plan(key.effort).strategy) text += " --strategy " + shell_word(key.strategy);
  return text;
}

void add_fact(ReportSection& section, const char* name, std::string text) {
  if (!text.empty()) section.facts.push_back({name, std::move(text)});
}

}  // namespace

ReportSection verdict_section(const ReportData& data) {
  ReportSection section{.id = "verdict", .heading = "Verdict"};
  const std::optional<Configuration> chosen = data.chosen();
  if (!chosen) {
    add_fact(section, "use", "nothing: no configuration survived");
  } else {
    add_fact(section, "use", whole_text(*chosen));
    const Configuration& by_default = data.default_configuration;
    const std::string difference = difference_text(*chosen, by_default, "as the default");
    if (!by_default.empty() && difference != section.facts.back().text) add_fact(section, "differs", difference);
  }
  if (data.record) {
    const Record& record = *data.record;
    section.headline = gain_text(record);
    const std::string before =
        record.default_ns > 0 ? fmt::format(", the default {}", time_text(record.default_ns)) : "";
    const std::string rate =
        data.spec ? rate_text(*data.spec, record.key.problem, record.configuration, record.median_ns) : "";
    add_fact(section, "time", time_text(record.median_ns) + before + (rate.empty() ? "" : "; " + rate));
  } else {
    section.headline = "no final comparison yet: the gain is not known";
  }
  add_fact(section, "for", conditions_text(data));
  if (data.record) {
    add_fact(section, "how sure", sureness_text(data));
    add_fact(section, "tied with", tied_text(data));
    add_fact(section, "chosen", choice_text(*data.record));
  }
  if (const Trial* const best = data.best()) add_fact(section, "limited by", limit_text(data, *best));
  add_fact(section, "searched", searched_text(data));
  add_fact(section, "made",
           fmt::format("{} with attune {}, {}{}", utc_text(data.session.started_ms), data.session.attune_version,
                       data.session.toolchain, data.session.driver.empty() ? "" : ", driver " + data.session.driver));
  if (data.has_other_text)
    section.sentences.push_back(
        "The text at hand is not the session's: it has changed, or is a built-in kernel of this name. What needs the "
        "text "
        "is left out; name the FILE.cu.");
  return section;
}

ReportSection next_section(const ReportData& data) {
  ReportSection section{.id = "next", .heading = "What to run next"};
  const RecordKey& key = data.session.key.record;
  const std::string_view kind = kind_of(key.device_class);
  if (kind == "replay" || kind == "callable") return section;  // no command tunes them again
  const std::string about = subject_text(data), tune = tune_command(data, about);
  const auto advise = [&](const char* sentence, std::string command) {
    section.sentences.push_back(sentence);
    section.commands.push_back(std::move(command));
  };
  if (data.session.state != SessionState::finished)
    advise("The session was cut short. The same command goes on.", tune);
  Rejections rejections;
  for (const Trial& trial : data.trials) rejections.see(trial);
  if (rejections.few_survive() || rejections.survivors() == 0)
    advise("Few configurations survived. Mend what fails, or add a rule that excludes it.",
           "attune trials " + about + " --verdict failed --details");
  if (data.record && (!data.record->settled || data.record->unstable || data.record->busy))
    advise("The comparison is not settled. A quiet device and a greater effort settle it.",
           "attune tune " + about + terms_text(data) + " --effort patient --fresh");
  if (data.record && data.record->self_checked)
    advise("The results were compared with those of the default alone. Write a [[reference]].",
           "attune check " + about);
  if (data.ceilings.empty() && key.device_class.starts_with("cuda|"))
    advise("The ceilings of the device are not known, so nothing says how far a better kernel could get.",
           "attune calibrate");
  if (data.record && data.device && data.device->kind == "cuda")
    advise("Hardware counters say why the best configuration wins.", "attune explain " + about);
  if (section.commands.empty() && data.record)
    advise("This problem is tuned. This is what an application launches for it.", "attune plan " + about);
  return section;
}

}  // namespace attune::cli
