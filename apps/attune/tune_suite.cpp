#include "tune_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "apps/terminal/live_line.hpp"
#include "attune/error.hpp"
#include "base/counted.hpp"
#include "command.hpp"
#include "configuration_text.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "session/suite.hpp"
#include "stop_requests.hpp"
#include "subject/kernel_subject.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

// Shows a suite as it goes: a line for each problem that has its record. On a terminal the last line says which problem
// is searched.
class SuiteConsole final : public SuiteObserver, private Observer {
 public:
  explicit SuiteConsole(const std::vector<Problem>& problems) : problems_(problems) {}

  Observer& session(std::size_t problem) override {
    present_ = problem;
    show("making data");
    return *this;
  }
  void problem_done(std::size_t problem, const SessionResult& result) override {
    const std::string head = fmt::format("  {}/{}  {}: ", (done_.insert(problem), done_.size()), problems_.size(),
                                         problems_[problem].text());
    print(head + in_lines(outcome_text(result), 4) + "\n");
  }
  void hide() { line_.hide(); }

 private:
  void session_started(const SessionStart&) override { show("timing the default"); }
  void trial_done(const Trial&, const Progress& progress) override {
    const double gain = progress.best_ns > 0 ? progress.default_ns / progress.best_ns : 0;
    show(fmt::format("{}, best {}", counted(progress.trials, "trial"), gain > 0 ? ratio_text(gain) : "-"));
  }
  void final_started(std::size_t finalists) override { show("comparing " + counted(finalists, "finalist")); }
  void note(const std::string& text) override {
    if (notes_.insert(text).second) print(note_line(problems_[present_].text() + ": " + text));
  }

  static std::string outcome_text(const SessionResult& result) {
    if (!result.record) return result.explanation.empty() ? "no record" : result.explanation;
    const Record& record = *result.record;
    const std::string gain = record.default_ns > 0 ? ", " + ratio_text(record.speedup) : "";
    if (result.end == Ending::known) return fmt::format("is tuned already, {}{}", time_text(record.median_ns), gain);
    return fmt::format("{}{} after {}", time_text(record.median_ns), gain, counted(result.trials, "trial"));
  }
  void show(const std::string& what) {
    line_.show([text = fmt::format("  {}: {}", problems_[present_].text(), what)](double) { return text; });
  }
  void print(const std::string& text) {
    const std::unique_lock<std::mutex> away = line_.away();
    put_text("{}", text);
    std::fflush(stdout);
  }

  const std::vector<Problem>& problems_;
  std::size_t present_ = 0;
  std::set<std::size_t> done_;   // one may be compared twice
  std::set<std::string> notes_;  // each is shown once
  LiveLine line_;
};

// Prints the lines of each problem's session, with the problem in each.
class SuiteLines final : public SuiteObserver {
 public:
  SuiteLines(const KernelRequest& request, const std::vector<Problem>& problems, WisdomStore& store)
      : request_(request), problems_(problems), store_(store) {}
  Observer& session(std::size_t problem) override {
    lines_ = std::make_unique<JsonLines>(request_.spec, problems_[problem]);
    return *lines_;
  }
  void problem_done(std::size_t problem, const SessionResult& result) override {
    KernelRequest request = request_;
    request.problem = problems_[problem];
    JsonLines(request_.spec, request.problem)
        .show_result(request, result,
                     result.record ? store_.ceilings(result.record->key.device_class) : std::vector<Ceiling>());
  }

 private:
  const KernelRequest& request_;
  const std::vector<Problem>& problems_;
  WisdomStore& store_;
  std::unique_ptr<JsonLines> lines_;
};

struct Totals {
  std::int64_t trials = 0, run_trials = 0, records = 0;
  double seconds = 0;
};

Totals totals_of(const SuiteResult& result) {
  Totals totals;
  for (const SessionResult& one : result.problems) {
    totals.trials += one.trials;
    totals.run_trials += one.run_trials;
    totals.seconds += one.seconds;
    totals.records += one.record.has_value();
  }
  return totals;
}

std::string end_text(const SuiteResult& result) {
  if (result.interrupted) return "interrupted";
  const bool is_partial = std::any_of(result.problems.begin(), result.problems.end(), [](const SessionResult& one) {
    return one.end == Ending::time || one.end == Ending::trials;
  });
  return is_partial ? "partial" : "finished";
}

// Shows a row for each problem, and the configurations that win, each once with its number.
void show_table(const std::vector<Problem>& problems, const SuiteResult& result, const Configuration& by_default) {
  std::vector<Configuration> winners;
  std::vector<Cells> rows = {{"problem", "default", "best", "gain", "trials", "winner"}};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::optional<Record>& record = result.problems[i].record;
    if (!record) {
      rows.push_back({problems[i].text(), "", "none", "", std::to_string(result.problems[i].trials), ""});
      continue;
    }
    auto place = std::find(winners.begin(), winners.end(), record->configuration);
    if (place == winners.end()) place = winners.insert(place, record->configuration);
    rows.push_back({problems[i].text(), record->default_ns > 0 ? time_text(record->default_ns) : "failed",
                    time_text(record->median_ns), record->default_ns > 0 ? ratio_text(record->speedup) : "",
                    std::to_string(result.problems[i].trials), fmt::format("{}", place - winners.begin() + 1)});
  }
  put_text("{}", table_text(std::move(rows)));
  if (!winners.empty()) put_text("winners, by what differs from the default\n");
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const std::string head = fmt::format("  {:>2}  ", i + 1);
    put_text("{}{}\n", head, in_lines(difference_text(winners[i], by_default, "the default"), head.size()));
  }
}

void show_suite(const std::vector<Problem>& problems, const SuiteResult& result, const Configuration& by_default,
                const std::string& database) {
  const Totals totals = totals_of(result);
  show_table(problems, result, by_default);
  put_text("{} now, {:.1f} s of search, {} compiled\nkept in {}\n", counted(totals.run_trials, "trial"), totals.seconds,
           counted(result.compiled, "image"), database);
  const std::string end = end_text(result);
  if (end != "finished") put_text("{}: the same command goes on where this one ended\n", end);
}

void print_suite(const SuiteResult& result) {
  const Totals totals = totals_of(result);
  print_line({{"type", "suite"},
              {"end", end_text(result)},
              {"problems", result.problems.size()},
              {"records", totals.records},
              {"known", result.known},
              {"winners", result.winners},
              {"trials", totals.trials},
              {"run_trials", totals.run_trials},
              {"search_seconds", totals.seconds},
              {"busy_seconds", result.busy_seconds},
              {"images_compiled", result.compiled}});
}

int exit_code_of(const SuiteResult& result) {
  if (result.interrupted) return exit_interrupted;
  int code = exit_done;
  for (const SessionResult& one : result.problems)
    if (const int own = exit_code(one.end); own != exit_done) code = own;
  return code;
}

}  // namespace

int tune_suite(KernelRequest request, const std::vector<Problem>& problems, Pool& pool, WisdomStore& store,
               ImageCache* images, SessionView view) {
  const auto count = static_cast<std::int64_t>(problems.size());
  if (request.limits.trials && *request.limits.trials < count)
    throw UsageError(fmt::format("--trials {} is less than one for each of the {}", *request.limits.trials,
                                 counted(count, "problem")));
  std::vector<std::unique_ptr<KernelSubject>> subjects;
  std::vector<const Subject*> list;
  for (const Problem& problem : problems) {
    subjects.push_back(std::make_unique<KernelSubject>(request.spec, problem, pool.device().info));
    list.push_back(subjects.back().get());
  }
  if (view == SessionView::json) {
    SuiteLines lines(request, problems, store);
    const SuiteResult result = run_suite(request, list, pool, store, images, lines, stop_requests);
    for (const SessionResult& one : result.problems)
      if (!one.record) put_error(request.spec.name + ": " + one.explanation);
    print_suite(result);
    return exit_code_of(result);
  }
  put_text("tuning {} for {} on {}\n", request.spec.name, counted(count, "problem"), pool.device().info.name);
  SuiteConsole console(problems);
  const SuiteResult result = run_suite(request, list, pool, store, images, console, stop_requests);
  console.hide();
  const std::optional<Configuration>& by_default = subjects.front()->default_configuration();
  show_suite(problems, result, view == SessionView::verbose ? Configuration() : by_default.value_or(Configuration()),
             store.file().string());
  return exit_code_of(result);
}

}  // namespace attune::cli
