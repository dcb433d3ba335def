#include "console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/counted.hpp"
#include "base/duration_text.hpp"
#include "configuration_text.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "rejection_text.hpp"
#include "session/decide.hpp"
#include "session/explanations.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

constexpr double minute = 60;
constexpr std::size_t ratio_columns = 6, time_columns = 9, least_rate_columns = 10;
constexpr std::size_t best_column = 11;  // where the text of "  best     " begins

// Returns "12.3/s", "40/min".
std::string pace_text(double per_second) {
  if (per_second < 1) return fmt::format("{:.{}f}/min", per_second * minute, per_second * minute < 10 ? 1 : 0);
  return fmt::format("{:.{}f}/s", per_second, per_second < 10 ? 1 : 0);
}

// The line of a search. What matters most comes first, because a narrow terminal cuts the end.
struct SearchLine {
  std::string trials, best;
  double tried = 0, most = 0;  // trials of this run
  double run_seconds = 0, used_seconds = 0;
  std::optional<double> limit = {};

  std::string text(double since) const {
    const double run = run_seconds + since, used = used_seconds + since;
    const double per_second = run > 0 ? tried / run : 0;
    std::string line = fmt::format("  searching: best {}, {:.0f}", best, used);
    if (limit) line += fmt::format("/{:.0f}", *limit);
    line += " s";
    std::optional<double> left;
    if (limit) left = std::max(*limit - used, 0.0);
    if (tried > 0 && most >= tried && per_second > 0) {
      const double by_trials = (most - tried) / per_second;
      left = std::min(left.value_or(by_trials), by_trials);
    }
    if (left) line += fmt::format(", {} left", duration_text(std::round(*left)));
    line += ", " + trials;
    return tried > 0 && run >= 1 ? line + ", " + pace_text(per_second) : line;
  }
};

std::string elsewhere_text(const TimeInRegime& time) {
  const bool in_a_row = time.regime == Regime::stream;
  return fmt::format("the same configuration {}: {}; {} tunes for that",
                     in_a_row ? "in a stream of launches" : "launched alone", time_text(time.median_ns),
                     in_a_row ? "--regime stream" : "--regime cold");
}

std::string reason_text(Ending reason, const Budget& limits, bool is_continued) {
  switch (reason) {
    case Ending::everything_tried:
      return "having tried everything";
    case Ending::effort_spent:
      return "the effort's own budget; a greater --effort searches on";
    case Ending::time:
      return fmt::format("the time limit of {:.6g} s", limits.seconds.value_or(0));
    case Ending::trials:
      return fmt::format("the limit of {}{}", counted(limits.trials.value_or(0), "trial"),
                         is_continued ? " for each run" : "");
    case Ending::patience:
      return fmt::format("patience: no improvement by 1 % in {}", counted(limits.patience.value_or(0), "trial"));
    case Ending::target:
      return fmt::format("reaching the target of {}", limits.target ? to_text(*limits.target) : "");
    case Ending::interrupted:
      return "an interrupt";
    default:
      break;
  }
  return "giving up: nothing survives";
}

// With few rounds the interval says nothing.
std::string unsettled_text(const FinalDecision& decision) {
  const std::string rounds = counted(decision.used.size(), "round");
  if (static_cast<int>(decision.used.size()) < Protocol{}.final_rounds_min) return rounds + " are too few to tell";
  if (is_settled(decision.used.size(), decision.half_width, Protocol{}))
    return fmt::format("after {} some look more than 1 % apart, and are not surely so", rounds);
  return fmt::format("after {} the closest are known to +-{:.2f} %", rounds, 100 * decision.half_width);
}

std::string record_stands_text(const Record& record) {
  const std::string_view failure = default_failure(record);
  return fmt::format("the record of {} stands: {}, {}, {}", utc_text(record.made_ms), time_text(record.median_ns),
                     failure.empty() ? fmt::format("{:.2f}x", record.speedup) : say_default_failed(failure),
                     counted(record.trials, "trial"));
}

}  // namespace

Console::Console(const KernelSpec& spec, bool verbose) : spec_(spec), verbose_(verbose) {}

void Console::print(const std::string& text) {
  const std::unique_lock<std::mutex> away = line_.away();
  put_text("{}", text);
  std::fflush(stdout);
}

void Console::begin_stage(const std::string& line) {
  stage_began_ = Clock::now();
  show_in_stage(line);
}

void Console::show_in_stage(const std::string& line) {
  const double before = std::chrono::duration<double>(Clock::now() - stage_began_).count();
  line_.show([=](double since) { return fmt::format("  {}, {}", line, duration_text(std::round(before + since))); });
}

void Console::calibration_started() { begin_stage("calibrating"); }

void Console::data_started() { begin_stage("making data and the reference's results"); }

std::string Console::rate_column(const std::string& text) const {
  return rate_columns_ == 0 ? "" : fmt::format("  {:>{}}", text, rate_columns_);
}

void Console::show_row(double ratio, double nanoseconds, const Configuration& configuration) {
  const std::string rate = rate_by(metric_, spec_, problem_, configuration, nanoseconds);
  const std::string row = fmt::format("  {:>{}}  {:>{}}{}  ", ratio > 0 ? ratio_text(ratio) : "", ratio_columns,
                                      time_text(nanoseconds), time_columns, rate_column(rate));
  print(row + in_lines(shown(configuration), row.size()) + "\n");
}

std::string Console::anchor_name() const { return anchor_ == default_configuration_ ? "default" : "first left"; }

std::string Console::shown(const Configuration& configuration) const {
  return difference_text(configuration, verbose_ ? Configuration() : anchor_, "the " + anchor_name());
}

// The final line of the best has no heading, so it says beside what its values are the others.
std::string Console::shown_in_the_end(const Configuration& configuration) const {
  const std::string text = shown(configuration);
  const bool is_whole = text == configuration.text() || configuration.empty() || configuration == anchor_;
  return is_whole ? text : text + ", else as the " + anchor_name();
}

// Shows the default whole, the head of the table, and the default's row. The column of rates has the width that this
// rate takes, and one digit more.
void Console::show_default(const Progress& progress) {
  anchor_ = progress.anchor;
  metric_ = main_metric(spec_, problem_, anchor_);
  const std::string rate = rate_by(metric_, spec_, problem_, anchor_, progress.default_ns);
  rate_columns_ = rate.empty() ? 0 : std::max(least_rate_columns, rate.size() + 1);
  print("  " + in_lines(fmt::format("{}: {}", anchor_name(), whole_text(anchor_)), 4) + "\n" +
        fmt::format("  {:>{}}  {:>{}}{}  {}\n", "gain", ratio_columns, "time", time_columns, rate_column("rate"),
                    verbose_ ? "configuration" : "what differs from the " + anchor_name()));
  show_row(1, progress.default_ns, anchor_);
}

std::string Console::with_bound(double nanoseconds, const Record& record, std::span<const Ceiling> ceilings) const {
  const std::optional<Bound> bound = shown_bound(spec_, record, nanoseconds, ceilings);
  const auto metric = bound ? metric_of(*bound) : main_metric(spec_, problem_, record.configuration);
  const std::string rate = rate_by(metric, spec_, problem_, record.configuration, nanoseconds);
  std::string text = fmt::format("{:>{}}", time_text(nanoseconds), time_columns);
  if (!rate.empty()) text += "  " + rate;
  return text + (bound ? ", " + bound_text(bound) : "");
}

void Console::session_started(const SessionStart& start) {
  problem_ = start.problem;
  default_configuration_ = start.default_configuration;
  legal_ = start.legal;
  trials_before_ = start.trials_before;
  has_own_clock_ = start.device.kind == "replay";
  std::string text;
  if (start.device.kind == "replay")
    text += fmt::format("tuning {}\n  on a recording of {}, in virtual time\n", start.kernel, start.device.name);
  else
    text += fmt::format("tuning {} for {}\n  on {} ({}, {} multiprocessors), {}\n", start.kernel, start.problem.text(),
                        start.device.name, start.device.architecture(), start.device.multiprocessors, start.toolchain);
  text += fmt::format("  {}{} legal {} of {} {}{}\n  effort {}, strategy {}, seed {}\n",
                      start.uncounted.empty() ? "" : "at most ", count_text(start.legal),
                      plural(start.legal == 1, "configuration"), count_text(start.cartesian),
                      plural(start.cartesian == 1, "combination"), start.narrowed ? " in a narrowed space" : "",
                      to_text(start.effort), start.strategy, start.seed);
  if (!start.uncounted.empty())
    text += fmt::format("  too large to count under `{}`: configurations are checked one by one\n",
                        fmt::join(start.uncounted, "`, `"));
  if (start.self_checked)
    text +=
        indented_line(fmt::format("no [[reference]]: results are checked against the default configuration's{}",
                                  start.narrowed ? ", or where it fails against those of the first values left" : ""));
  if (start.trials_before > 0) text += fmt::format("  continuing after {}\n", counted(start.trials_before, "trial"));
  if (start.ladder_steps > 0) text += fmt::format("  first: {} of its ladder\n", counted(start.ladder_steps, "step"));
  if (start.warm_start > 0)
    text += fmt::format("  warm start: {} from wisdom\n", counted(start.warm_start, "configuration"));
  if (start.learnt_from > 0)
    text += fmt::format("  warm start: the trials of {} elsewhere\n", counted(start.learnt_from, "session"));
  print(text);
  is_searching_ = true;
  begin_stage("compiling and timing the default");
}

void Console::trial_done(const Trial&, const Progress& progress) {
  if (!default_shown_ && progress.default_ns > 0) {
    default_shown_ = true;
    show_default(progress);
    show_best(progress.anchor, progress.default_ns);
  }
  if (progress.best_ns > 0 && progress.best != best_shown_) {
    if (progress.best != progress.anchor)
      show_row(progress.default_ns / progress.best_ns, progress.best_ns, progress.best);
    show_best(progress.best, progress.best_ns);
  }
  show_search(progress);
}

void Console::show_search(const Progress& progress) {
  if (!is_searching_) return;  // a finalist that fails
  SearchLine line{trials_text(progress), best_text_};
  line.tried = static_cast<double>(progress.trials - trials_before_);
  line.most = static_cast<double>(most_trials(progress)) - static_cast<double>(trials_before_);
  line.used_seconds = progress.seconds;
  line.limit = progress.seconds_limit;
  line.run_seconds =
      has_own_clock_ ? progress.seconds : std::chrono::duration<double>(Clock::now() - stage_began_).count();
  line_.show([line, stands = has_own_clock_](double since) { return line.text(stands ? 0 : since); });
}

// Of the whole space, or of the user's limit where that is less.
SpaceSize Console::most_trials(const Progress& progress) const {
  if (!progress.trials_limit) return legal_;
  return std::min<SpaceSize>(legal_, static_cast<SpaceSize>(trials_before_ + *progress.trials_limit));
}

// Returns "12 of 682 trials, 10 right". Trials of other sessions do not count towards the limit.
std::string Console::trials_text(const Progress& progress) const {
  const SpaceSize most = most_trials(progress);
  const std::string trials =
      static_cast<SpaceSize>(progress.trials) > most
          ? counted(progress.trials, "trial")
          : fmt::format("{} of {} {}", progress.trials, count_text(most), plural(most == 1, "trial"));
  return fmt::format("{}, {} right", trials, progress.survivors);
}

// The line and the last row of the table name one best, with the time that it had when it was shown.
void Console::show_best(const Configuration& best, double nanoseconds) {
  best_shown_ = best;
  best_text_ = time_text(nanoseconds);
}

void Console::note(const std::string& text) { print(note_line(text)); }

void Console::confirm_started(std::size_t configurations) {
  print(fmt::format("sampling the best {} again\n", counted(configurations, "configuration")));
  is_searching_ = false;
  begin_stage("confirming");
}

void Console::final_started(std::size_t finalists) {
  finalists_ = counted(finalists, "finalist");
  print(fmt::format("comparing {}, interleaved\n", finalists_));
  begin_stage("comparing");
}

void Console::energy_started(std::size_t finalists, double seconds_each) {
  print(fmt::format("metering the energy of {}, {:.0f} s each\n", counted(finalists, "finalist"), seconds_each));
  begin_stage("metering");
}

void Console::final_round_done(std::size_t rounds) {
  show_in_stage(fmt::format("comparing: {} of {}", counted(rounds, "round"), finalists_));
}

void Console::show_result(const KernelRequest& request, const SessionResult& result, const std::string& database,
                          std::span<const Ceiling> ceilings, const std::string& occupancy) {
  line_.hide();
  problem_ = request.problem;
  if (!result.record) {
    put_text("{}\n", result.explanation);
    return;
  }
  show_figures(result, ceilings, occupancy);
  if (result.end != Ending::known) show_end(request, result, database);
}

void Console::show_figures(const SessionResult& result, std::span<const Ceiling> ceilings,
                           const std::string& occupancy) {
  const Record& record = *result.record;
  if (result.end == Ending::known)
    put_text("{}\n", in_lines(fmt::format("{} for {} is tuned already ({}, {}, {}); --fresh starts over", spec_.name,
                                          problem_.text(), to_text(record.effort), counted(record.trials, "trial"),
                                          utc_text(record.made_ms)),
                              2));
  Record shown = record;
  if (result.record_stands) take_figures(*result.decision, shown);  // this run's
  if (shown.default_ns > 0) put_text("  default  {}\n", with_bound(shown.default_ns, shown, ceilings));
  put_text("  best     {}\n", with_bound(shown.median_ns, shown, ceilings));
  put_text("{:{}}{}\n", "", best_column, in_lines(shown_in_the_end(shown.configuration), best_column));
  put_text("{}", indented_line(gain_text(shown) + marks_text(shown)));
  if (shown.choice != Choice::fastest) put_text("{}", indented_line(choice_text(shown)));
  if (!occupancy.empty()) put_text("{}", indented_line("occupancy " + occupancy));
  for (const std::string& remark : result.remarks) put_text("{}", note_line(remark));
  if (result.elsewhere) put_text("{}", indented_line(elsewhere_text(*result.elsewhere)));
  if (result.decision && !result.decision->is_settled) put_text("{}", indented_line(unsettled_text(*result.decision)));
  if (result.record_stands) put_text("{}", indented_line(record_stands_text(record)));
  put_text("{}", front_text(record, result.finalists, verbose_));
  if (!result.left_out.empty()) put_text("{}", indented_line(left_out_explanation(result.left_out)));
}

// Shows why the session ended, what became of its trials, and how to go on.
void Console::show_end(const KernelRequest& request, const SessionResult& result, const std::string& database) {
  const bool is_continued = result.run_trials < result.trials;
  if (result.reason) put_text("ended by {}\n", reason_text(*result.reason, request.limits, is_continued));
  put_text("{}{}: {}; {}\n", counted(result.trials, "trial"),
           is_continued ? fmt::format(", {} of them now", result.run_trials) : "", verdicts_text(result.verdicts),
           database.empty() ? "kept in no database (--db FILE)" : "kept in " + database);
  put_text("{}",
           rejections_text(result.rejections, database.empty() ? "" : trials_command(spec_.name, problem_, database)));
  if (result.few_survived) put_text("{}", few_survived_text(result.survivors, result.trials));
  if (database.empty()) return;
  if (result.end == Ending::hopeless) put_text("{}\n", result.explanation);
  if (result.workers_replaced > 0) put_text("device workers replaced: {}\n", result.workers_replaced);
  if (result.end == Ending::time && result.run_trials == 0)
    put_text("partial: the time ended before a trial; the same command with a longer --time-limit goes on\n");
  else if (result.end == Ending::time || result.end == Ending::trials)
    put_text("partial: the same command goes on where this one ended\n");
  if (result.end == Ending::interrupted) put_text("interrupted: the same command goes on where this one ended\n");
}

}  // namespace attune::cli
