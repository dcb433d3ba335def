#include "console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/counted.hpp"
#include "put_text.hpp"
#include "record_text.hpp"
#include "session/decide.hpp"
#include "session/explanations.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

// A faster display cannot be read; a slower one looks stuck.
constexpr std::chrono::milliseconds redraw{100};

// Such a terminal shows escapes as they are.
bool is_dumb_terminal() {
  const char* const terminal = std::getenv("TERM");
  return terminal == nullptr || std::string_view(terminal) == "dumb";
}

std::string limit_text(const Progress& progress) {
  std::string text = fmt::format("{:.0f}", progress.seconds);
  if (progress.seconds_limit) text += fmt::format("/{:.0f}", *progress.seconds_limit);
  return text + " s";
}

std::string elsewhere_text(const TimeInRegime& time) {
  const bool in_a_row = time.regime == Regime::stream;
  return fmt::format("the same configuration {}: {}; {} tunes for that",
                     in_a_row ? "in a stream of launches" : "launched alone", time_text(time.median_ns),
                     in_a_row ? "--regime stream" : "--regime cold");
}

std::string reason_text(StopReason reason, const Budget& limits) {
  switch (reason) {
    case StopReason::everything_tried:
      return "having tried everything";
    case StopReason::effort_spent:
      return "the effort's own budget";
    case StopReason::time:
      return fmt::format("the time limit of {:.6g} s", limits.seconds.value_or(0));
    case StopReason::trials:
      return fmt::format("the limit of {}", counted(limits.trials.value_or(0), "trial"));
    case StopReason::patience:
      return fmt::format("patience: no improvement by 1 % in {}", counted(limits.patience.value_or(0), "trial"));
    case StopReason::target:
      return fmt::format("reaching the target of {}", limits.target ? to_text(*limits.target) : "");
    case StopReason::interrupt:
      return "an interrupt";
    case StopReason::hopeless:
      break;
  }
  return "giving up: nothing survives";
}

// With few rounds the interval says nothing.
std::string unsettled_text(const FinalDecision& decision) {
  const std::string rounds = counted(decision.used.size(), "round");
  if (static_cast<int>(decision.used.size()) < Protocol{}.final_rounds_min) return rounds + " are too few to tell";
  return fmt::format("after {} the closest are known to +-{:.2f} %", rounds, 100 * decision.half_width);
}

}  // namespace

Console::Console(const KernelSpec& spec) : spec_(spec), live_(isatty(STDOUT_FILENO) == 1 && !is_dumb_terminal()) {}

Console::~Console() { clear(); }

void Console::draw(const std::string& line) {
  if (!live_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_draw_ < redraw) return;
  last_draw_ = now;
  fmt::print("\r\x1b[2K{}", visible_text(line));
  std::fflush(stdout);
  drawn_ = true;
}

void Console::clear() {
  if (!drawn_) return;
  fmt::print("\r\x1b[2K");
  drawn_ = false;
}

std::string Console::with_rate(double nanoseconds, const Configuration& configuration) const {
  const std::string rate = rate_text(spec_, problem_, configuration, nanoseconds);
  return fmt::format("{:>9}{}", time_text(nanoseconds), rate.empty() ? "" : fmt::format("  {:>10}", rate));
}

std::string Console::with_bound(double nanoseconds, const Record& record, std::span<const Ceiling> ceilings) const {
  const std::string bound = bound_text(shown_bound(spec_, record, nanoseconds, ceilings));
  return with_rate(nanoseconds, record.configuration) + (bound.empty() ? "" : ", " + bound);
}

void Console::session_started(const SessionStart& start) {
  problem_ = start.problem;
  default_configuration_ = start.default_configuration;
  legal_ = start.legal;
  trials_before_ = start.trials_before;
  if (start.device.kind == "replay")
    put_text("tuning {}\n  on a recording of {}, in virtual time\n", start.kernel, start.device.name);
  else
    put_text("tuning {} for {}\n  on {} ({}, {} multiprocessors), {}\n", start.kernel, start.problem.text(),
             start.device.name, start.device.architecture(), start.device.multiprocessors, start.toolchain);
  put_text("  {}{} legal {} of {} {}; effort {}, strategy {}, seed {}\n", start.uncounted.empty() ? "" : "at most ",
           count_text(start.legal), plural(start.legal == 1, "configuration"), count_text(start.cartesian),
           plural(start.cartesian == 1, "combination"), to_text(start.effort), start.strategy, start.seed);
  if (!start.uncounted.empty())
    put_text("  too large to count under `{}`: configurations are checked one by one\n",
             fmt::join(start.uncounted, "`, `"));
  if (start.self_checked) put_text("  no [[reference]]: results are checked against the default configuration's\n");
  if (start.trials_before > 0) put_text("  continuing after {}\n", counted(start.trials_before, "trial"));
  if (start.warm_start > 0) put_text("  warm start: {} from wisdom\n", counted(start.warm_start, "configuration"));
  if (start.learnt_from > 0)
    put_text("  warm start: the trials of {} elsewhere\n", counted(start.learnt_from, "session"));
  std::fflush(stdout);
}

void Console::trial_done(const Trial&, const Progress& progress) {
  if (!default_shown_ && progress.default_ns > 0) {
    default_shown_ = true;
    clear();
    put_text("  {:>6}  {}  default: {}\n", "", with_rate(progress.default_ns, default_configuration_),
             default_configuration_.text());
    show_best(default_configuration_, progress.default_ns);
  }
  if (progress.best_ns > 0 && progress.best != best_shown_) {
    if (progress.best != default_configuration_) {
      clear();
      put_text("  {:>6}  {}  {}\n", progress.default_ns > 0 ? ratio_text(progress.default_ns / progress.best_ns) : "",
               with_rate(progress.best_ns, progress.best), progress.best.text());
    }
    show_best(progress.best, progress.best_ns);
  }
  std::fflush(stdout);
  draw(fmt::format("  {}, {} right, {}  best {}", trials_text(progress), progress.survivors, limit_text(progress),
                   best_text_));
}

// Returns "12 of 682 trials": of the whole space, or of the user's limit where that is less.
std::string Console::trials_text(const Progress& progress) const {
  SpaceSize most = legal_;
  if (progress.trials_limit)
    most = std::min<SpaceSize>(most, static_cast<SpaceSize>(trials_before_ + *progress.trials_limit));
  // Trials of other sessions do not count towards the limit.
  if (static_cast<SpaceSize>(progress.trials) > most) return counted(progress.trials, "trial");
  return fmt::format("{} of {} {}", progress.trials, count_text(most), plural(most == 1, "trial"));
}

// The line and the last row of the table name one best, with the time that it had when it was shown.
void Console::show_best(const Configuration& best, double nanoseconds) {
  best_shown_ = best;
  best_text_ = time_text(nanoseconds);
}

void Console::note(const std::string& text) {
  clear();
  put_text("  note: {}\n", text);
  std::fflush(stdout);
}

void Console::confirm_started(std::size_t configurations) {
  clear();
  put_text("sampling the best {} again\n", counted(configurations, "configuration"));
  std::fflush(stdout);
}

void Console::final_started(std::size_t finalists) {
  clear();
  finalists_ = finalists;
  put_text("comparing {}, interleaved\n", counted(finalists, "finalist"));
  std::fflush(stdout);
}

void Console::energy_started(std::size_t finalists, double seconds_each) {
  clear();
  put_text("metering the energy of {}, {:.0f} s each\n", counted(finalists, "finalist"), seconds_each);
  std::fflush(stdout);
}

void Console::final_round_done(std::size_t rounds) {
  draw(fmt::format("  {} of {}", counted(rounds, "round"), counted(finalists_, "finalist")));
}

void Console::show_result(const SessionRequest& request, const SessionResult& result, const std::string& database,
                          std::span<const Ceiling> ceilings) {
  clear();
  problem_ = request.problem;
  if (!result.record) {
    put_text("{}\n", result.explanation);
    return;
  }
  const Record& record = *result.record;
  if (result.end == SessionResult::End::known)
    put_text("{} for {} is tuned already ({}, {}, {}); --fresh starts over\n", spec_.name, problem_.text(),
             to_text(record.effort), counted(record.trials, "trial"), utc_text(record.made_ms));
  Record shown = record;
  if (result.record_stands) take_figures(*result.decision, shown);  // this run's
  if (shown.default_ns > 0) put_text("  default  {}\n", with_bound(shown.default_ns, shown, ceilings));
  put_text("  best     {}  {}\n", with_bound(shown.median_ns, shown, ceilings), shown.configuration.text());
  put_text("  {}{}\n", gain_text(shown), marks_text(shown));
  if (result.elsewhere) put_text("  {}\n", elsewhere_text(*result.elsewhere));
  if (result.decision && !result.decision->is_settled)
    put_text("  not settled: {}\n", unsettled_text(*result.decision));
  if (result.record_stands)
    put_text("  the record of {} stands: {}, {:.2f}x, {}\n", utc_text(record.made_ms), time_text(record.median_ns),
             record.speedup, counted(record.trials, "trial"));
  put_text("{}", front_text(record, result.finalists));
  if (!result.left_out.empty()) put_text("  {}\n", left_out_explanation(result.left_out));
  if (result.end == SessionResult::End::known) return;
  if (result.reason) put_text("ended by {}\n", reason_text(*result.reason, request.limits));
  put_text("{}{}: {}; {}\n", counted(result.trials, "trial"),
           result.run_trials < result.trials ? fmt::format(", {} of them now", result.run_trials) : "",
           verdicts_text(result.verdicts),
           database.empty() ? "kept in no database (--db FILE)" : "kept in " + database);
  if (database.empty()) return;
  if (result.end == SessionResult::End::stopped) put_text("{}\n", result.explanation);
  if (result.workers_replaced > 0) put_text("device workers replaced: {}\n", result.workers_replaced);
  if (result.end == SessionResult::End::partial) put_text("partial: the same command goes on where this one ended\n");
  if (result.end == SessionResult::End::interrupted)
    put_text("interrupted: the same command goes on where this one ended\n");
}

}  // namespace attune::cli
