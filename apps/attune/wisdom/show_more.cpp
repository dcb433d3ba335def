#include "wisdom/show_more.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "core/record_order.hpp"
#include "exports/records_json.hpp"
#include "json_lines.hpp"
#include "record_text.hpp"
#include "rejection_text.hpp"
#include "session/revalidate.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_best = 10, most_listed = 5;

// Returns whether a session is a search for a record: of its key, and of its space if the record has one.
bool is_of_record(const SessionRow& session, const Record& record) {
  return session.key.strategy != revalidating && (record.space.empty() || session.key.space == record.space) &&
         session.key.record == record.key;
}

std::string conditions_text(const Record& record, std::span<const FinalistResult> finalists) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (record.sm_clock_mhz > 0) add(fmt::format("{:.0f} MHz", record.sm_clock_mhz));
  const auto winner = std::ranges::find(finalists, record.configuration, &FinalistResult::configuration);
  if (winner != finalists.end() && winner->energy_j && record.median_ns > 0)
    add(fmt::format("{:.0f} W", *winner->energy_j / (record.median_ns * 1e-9)));
  if (record.rounds > 0)
    add(fmt::format("{} of {} launches{}", counted(record.rounds, "round"), record.batch,
                    record.rounds_dropped > 0 ? fmt::format(", {} dropped", record.rounds_dropped) : ""));
  if (record.anchor_ratio > 0)
    add(fmt::format("the default took {:.2f} times as long as when the session began", record.anchor_ratio));
  return text.empty() ? "" : fact_line("conditions", text);
}

// Returns a line for each board of a record that was measured on several.
std::string boards_text(const Record& record) {
  std::string text;
  for (const BoardResult& board : record.boards) {
    const std::string gain = record.default_ns > 0 ? ", " + ratio_text(board.speedup) : "";
    const std::string measured = board.median_ns > 0 ? time_text(board.median_ns) + gain : "not measured";
    text += fact_line(text.empty() ? "boards" : "",
                      fmt::format("{}: {}, {}", board.uuid, measured, counted(board.rounds, "round")));
  }
  return text;
}

// Returns lines under a heading, the first of a list. `line_of(item)` returns the text of one.
template <typename Item, typename LineOf>
std::string list_text(std::string_view heading, std::span<const Item> items, const LineOf& line_of) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < most_listed; ++i)
    text += fact_line(i == 0 ? heading : "", line_of(items[i]));
  if (items.size() > most_listed) text += fact_line("", fmt::format("{} more: --json", items.size() - most_listed));
  return text;
}

std::string best_text(const Record& record, const std::vector<KeyedTrial>& best, bool verbose) {
  if (best.empty()) return "";
  constexpr std::size_t time_columns = 9, column = fact_column + time_columns + 2;
  std::string text = fmt::format("  {:<{}}{:>{}}  {}\n", "best trials", fact_column - 2, "time", time_columns,
                                 verbose ? "configuration" : "what differs from the best");
  for (const KeyedTrial& keyed : best) {
    const Trial& trial = keyed.trial;
    const Configuration base = verbose ? Configuration() : record.configuration;
    text += fmt::format("{:{}}{:>{}}  {}\n", "", fact_column, time_text(trial.measurement.median_ns), time_columns,
                        in_lines(difference_text(trial.configuration, base, "the best"), column));
  }
  return text;
}

std::string other_text(const Record& other, const Record& serving) {
  return fmt::format("{}: {}, {}{}, {}: {}", utc_text(other.made_ms),
                     other.median_ns > 0 ? time_text(other.median_ns) : "not measured",
                     other.default_ns > 0 ? ratio_text(other.speedup) + ", " : "", to_text(other.origin),
                     whole_text(other.configuration), why_weaker(other, serving));
}

}  // namespace

MoreOfRecord more_of(const Record& record, std::span<const FinalistResult> finalists,
                     std::span<const SessionRow> sessions, WisdomStore& store) {
  MoreOfRecord more;
  const auto session = std::ranges::find_if(sessions, [&](const SessionRow& one) { return is_of_record(one, record); });
  if (session != sessions.end()) {
    more.tallies = verdict_tallies(store, session->id);
    for (Trial& trial : best_trials(store, session->id, most_best))
      more.best.push_back({record.key, session->id, std::move(trial)});
  }
  more.quarantined = store.quarantined(record.key);
  more.others = store.history(record.key);
  std::erase_if(more.others, [&](const Record& other) { return other.uuid == record.uuid; });
  more.conditions = conditions_text(record, finalists) + boards_text(record);
  return more;
}

std::string tried_text(const MoreOfRecord& more, const std::string& trials_command) {
  VerdictCounts counts;
  std::vector<Rejection> rejections;
  std::int64_t trials = 0, survivors = 0;
  for (const VerdictTally& tally : more.tallies) {
    const Trial& example = tally.example;
    counts[example.verdict] = tally.count;
    trials += tally.count;
    if (example.verdict == Verdict::ok)
      survivors = tally.count;
    else
      rejections.push_back({example.verdict, tally.count, example.configuration, example.detail});
  }
  if (trials == 0) return "";
  std::string text = fact_line("tried", fmt::format("{}: {}", counted(trials, "configuration"), verdicts_text(counts)));
  text += rejections_text(rejections, trials_command, Shown::all);
  if (few_survive(survivors, trials)) text += "  " + few_survived_text(survivors, trials);
  return text;
}

std::string more_text(const Record& record, const MoreOfRecord& more, bool verbose) {
  std::string text = best_text(record, more.best, verbose);
  text += list_text("quarantine", std::span(more.quarantined), [](const QuarantineEntry& entry) {
    return fmt::format("{} {}: {}", to_text(entry.verdict), entry.configuration.text(), reason_of(entry.detail));
  });
  return text + list_text("other records", std::span(std::as_const(more.others)),
                          [&](const Record& other) { return other_text(other, record); });
}

void print_more(const Record& record, const MoreOfRecord& more) {
  for (const VerdictTally& tally : more.tallies)
    print_line("tried", {{"verdict", to_text(tally.example.verdict)},
                         {"count", tally.count},
                         {"configuration", to_json(tally.example.configuration)},
                         {"detail", tally.example.detail}});
  for (const KeyedTrial& trial : more.best) print_line("trial", attune::to_json(trial));
  for (const QuarantineEntry& entry : more.quarantined)
    print_line("quarantined", {{"configuration", to_json(entry.configuration)},
                               {"verdict", to_text(entry.verdict)},
                               {"detail", entry.detail},
                               {"made_ms", entry.made_ms}});
  for (const Record& other : more.others) {
    Json fields = attune::to_json(other);
    fields["why_not"] = why_weaker(other, record);
    print_line("other_record", fields);
  }
}

Json kept_json(const std::string& kernel, const StoredCounts& kept) {
  return {{"type", "kernel"},
          {"kernel", kernel},
          {"records", kept.records},
          {"trials", kept.trials},
          {"sessions", kept.sessions}};
}

}  // namespace attune::cli
