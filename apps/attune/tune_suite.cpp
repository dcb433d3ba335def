#include "tune_suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>
#include <set>
#include <thread>

#include "apps/terminal/live_line.hpp"
#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/start_thread.hpp"
#include "command.hpp"
#include "configuration_text.hpp"
#include "files/paths.hpp"
#include "json_lines.hpp"
#include "put_text.hpp"
#include "session/problem_list.hpp"
#include "session/suite.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "subject/kernel_subject.hpp"
#include "table.hpp"
#include "text.hpp"
#include "tune_boards.hpp"
#include "worker.hpp"
#include "worker/boards.hpp"

namespace attune::cli {
namespace {

bool are_of_several_kernels(const std::vector<SuiteMember>& members) {
  return std::ranges::any_of(members, [&](const SuiteMember& one) { return one.spec != members.front().spec; });
}

// Returns the problems' texts, with the kernel in front if there are several.
std::vector<std::string> texts_of(const std::vector<SuiteMember>& members) {
  std::vector<std::string> texts;
  for (const SuiteMember& one : members)
    texts.push_back((are_of_several_kernels(members) ? one.spec->name + " " : "") + one.problem.text());
  return texts;
}

// Shows a suite as it goes: a line for each problem that has its record. On a terminal the last line says which problem
// is searched.
class SuiteConsole final : public SuiteObserver {
 public:
  explicit SuiteConsole(const std::vector<SuiteMember>& members) : texts_(texts_of(members)) {
    for (const std::string& text : texts_) sessions_.emplace_back(*this, text);
  }

  Observer& session(std::size_t problem) override {
    show(texts_[problem], "making data");
    return sessions_[problem];
  }
  void problem_done(std::size_t problem, const SessionResult& result) override {
    const std::string head =
        fmt::format("  {}/{}  {}: ", (done_.insert(problem), done_.size()), texts_.size(), texts_[problem]);
    print(head + in_lines(outcome_text(result), 4) + "\n");
  }
  void hide() { line_.hide(); }

 private:
  class OfProblem final : public Observer {
   public:
    OfProblem(SuiteConsole& console, const std::string& text) : console_(console), text_(text) {}
    void session_started(const SessionStart&) override { console_.show(text_, "timing the default"); }
    void trial_done(const Trial&, const Progress& progress) override {
      const double gain = progress.best_ns > 0 ? progress.default_ns / progress.best_ns : 0;
      console_.show(text_, fmt::format("{}, best {}", counted(progress.trials, "trial"),
                                       gain > 0 ? ratio_text(gain) : std::string("-")));
    }
    void final_started(std::size_t finalists) override {
      console_.show(text_, "comparing " + counted(finalists, "finalist"));
    }
    void note(const std::string& text) override {
      if (console_.notes_.insert(text).second) console_.print(note_line(text_ + ": " + text));
    }

   private:
    SuiteConsole& console_;
    const std::string& text_;
  };

  static std::string outcome_text(const SessionResult& result) {
    if (!result.record) return result.explanation.empty() ? "no record" : result.explanation;
    const Record& record = *result.record;
    const std::string gain = record.default_ns > 0 ? ", " + ratio_text(record.speedup) : "";
    if (result.end == Ending::known) return fmt::format("is tuned already, {}{}", time_text(record.median_ns), gain);
    return fmt::format("{}{} after {}", time_text(record.median_ns), gain, counted(result.trials, "trial"));
  }
  void show(const std::string& problem, const std::string& what) {
    line_.show([text = fmt::format("  {}: {}", problem, what)](double) { return text; });
  }
  void print(const std::string& text) {
    const std::unique_lock<std::mutex> away = line_.away();
    put_text("{}", text);
    std::fflush(stdout);
  }

  const std::vector<std::string> texts_;  // of problems
  std::deque<OfProblem> sessions_;
  std::set<std::size_t> done_;   // one may be compared twice
  std::set<std::string> notes_;  // each is shown once
  LiveLine line_;
};

// Prints the lines of each problem's session, with the problem in each.
class SuiteLines final : public SuiteObserver {
 public:
  SuiteLines(const KernelRequest& request, const std::vector<SuiteMember>& members, std::vector<Ceiling> ceilings)
      : request_(request), members_(members), ceilings_(std::move(ceilings)) {
    for (const SuiteMember& one : members) lines_.emplace_back(*one.spec, one.problem);
  }
  Observer& session(std::size_t problem) override { return lines_[problem]; }
  void problem_done(std::size_t problem, const SessionResult& result) override {
    KernelRequest request = request_;
    request.problem = members_[problem].problem;
    lines_[problem].show_result(request, result, ceilings_);
  }

 private:
  const KernelRequest& request_;
  const std::vector<SuiteMember>& members_;
  const std::vector<Ceiling> ceilings_;
  std::deque<JsonLines> lines_;  // by problem
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

// Shows a row for each problem of a kernel, and the configurations that win, each once with its number. `results` are
// those of the kernel's problems.
void show_table(const std::vector<Problem>& problems, const std::vector<const SessionResult*>& results,
                const Configuration& by_default) {
  std::vector<Configuration> winners;
  std::vector<Cells> rows = {{"problem", "default", "best", "gain", "trials", "winner"}};
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const std::optional<Record>& record = results[i]->record;
    if (!record) {
      rows.push_back({problems[i].text(), "", "none", "", std::to_string(results[i]->trials), ""});
      continue;
    }
    auto place = std::find(winners.begin(), winners.end(), record->configuration);
    if (place == winners.end()) place = winners.insert(place, record->configuration);
    rows.push_back({problems[i].text(), record->default_ns > 0 ? time_text(record->default_ns) : "failed",
                    time_text(record->median_ns), record->default_ns > 0 ? ratio_text(record->speedup) : "",
                    std::to_string(results[i]->trials), fmt::format("{}", place - winners.begin() + 1)});
  }
  put_text("{}", table_text(std::move(rows)));
  if (!winners.empty()) put_text("winners, by what differs from the default\n");
  for (std::size_t i = 0; i < winners.size(); ++i) {
    const std::string head = fmt::format("  {:>2}  ", i + 1);
    put_text("{}{}\n", head, in_lines(difference_text(winners[i], by_default, "the default"), head.size()));
  }
}

using Subjects = std::vector<std::unique_ptr<KernelSubject>>;

// Shows a table for each kernel.
void show_tables(const std::vector<SuiteMember>& members, const Subjects& subjects, const SuiteResult& result,
                 bool verbose) {
  std::set<const KernelSpec*> shown;
  for (std::size_t first = 0; first < members.size(); ++first) {
    const std::shared_ptr<const KernelSpec>& spec = members[first].spec;
    if (!shown.insert(spec.get()).second) continue;
    std::vector<Problem> problems;
    std::vector<const SessionResult*> results;
    for (std::size_t i = first; i < members.size(); ++i)
      if (members[i].spec == spec) {
        problems.push_back(members[i].problem);
        results.push_back(&result.problems[i]);
      }
    if (are_of_several_kernels(members)) put_text("{}\n", spec->name);
    const std::optional<Configuration>& by_default = subjects[first]->default_configuration();
    show_table(problems, results, verbose ? Configuration() : by_default.value_or(Configuration()));
  }
}

void show_totals(const SuiteResult& result, std::size_t devices, const std::string& database) {
  const Totals totals = totals_of(result);
  put_text("{} now, {:.1f} s of search, {} compiled{}\nkept in {}\n", counted(totals.run_trials, "trial"),
           totals.seconds, counted(result.compiled, "image"),
           devices > 1 ? fmt::format("; {:.1f} s on {} devices", result.wall_seconds, devices) : "", database);
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
              {"wall_seconds", result.wall_seconds},
              {"images_compiled", result.compiled}});
}

int exit_code_of(const SuiteResult& result) {
  if (result.interrupted) return exit_interrupted;
  int code = exit_done;
  for (const SessionResult& one : result.problems)
    if (const int own = exit_code(one.end); own != exit_done) code = own;
  return code;
}

// The benches of a suite: a pool and a connection to the database for each device.
class SuitePools {
 public:
  SuitePools(const Options& options, const std::string& device) {
    Boards boards = boards_of(device);
    for (const std::string& name : boards.names) {
      Bench& bench = benches_.emplace_back(
          Bench{std::make_unique<WisdomStore>(database_path(options), WisdomStore::Access::read_write,
                                              DatabaseWaiting{note_on_stderr, &stop_requests}),
                workers_for(name, worker_options(options)), nullptr});
      bench.pool = std::make_unique<Pool>(*bench.workers);
      bench.pool->set_aliases(bench.store->aliases());
    }
    open_all(boards);
    const std::vector<DeviceInfo> opened = infos();
    require_one_class(opened);
    takes_turns_ = !boards.are_one_device;
    tell_boards(opened, std::move(boards.notes), options.has("json"));
  }

  Pool& pool() { return *benches_.front().pool; }
  WisdomStore& store() { return *benches_.front().store; }
  bool takes_turns() const noexcept { return takes_turns_; }
  std::vector<SuiteBench> benches() {
    std::vector<SuiteBench> benches;
    for (Bench& one : benches_) benches.push_back({*one.pool, *one.store});
    return benches;
  }

 private:
  struct Bench {
    std::unique_ptr<WisdomStore> store;
    std::unique_ptr<Workers> workers;
    std::unique_ptr<Pool> pool;
  };
  // Opens the devices side by side. One that does not open leaves with a note, if another does.
  void open_all(Boards& boards) {
    std::vector<std::exception_ptr> errors(benches_.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < benches_.size(); ++i)
        threads.push_back(start_thread<std::jthread>([&pool = *benches_[i].pool, &error = errors[i]] {
          try {
            pool.device();
          } catch (...) {
            error = std::current_exception();
          }
        }));
    }
    std::vector<Bench> opened;
    for (std::size_t i = 0; i < benches_.size(); ++i) try {
        if (errors[i]) std::rethrow_exception(errors[i]);
        opened.push_back(std::move(benches_[i]));
      } catch (const Error& error) {
        boards.notes.push_back(no_part_note(error.what(), boards.names[i]));
      }
    if (opened.empty()) std::rethrow_exception(errors.front());
    benches_ = std::move(opened);
  }
  std::vector<DeviceInfo> infos() {
    std::vector<DeviceInfo> infos;
    for (Bench& one : benches_) infos.push_back(one.pool->device().info);
    return infos;
  }
  std::vector<Bench> benches_;
  bool takes_turns_ = true;
};

std::string kernels_text(const std::vector<SuiteMember>& members) {
  std::string text;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (i == 0 || members[i].spec != members[i - 1].spec) text += (i == 0 ? "" : ", ") + members[i].spec->name;
  return text;
}

}  // namespace

std::vector<SuiteMember> suite_members(const Options& options, const KernelSpec& first, const std::string& kind) {
  const std::vector<std::string> kernels = options.list("kernels"), lists = options.list("problems");
  if (lists.size() != kernels.size() + 1)
    throw UsageError(fmt::format("--problems is given {} for {}: give one list for each kernel, in their order",
                                 counted(lists.size(), "time"), counted(kernels.size() + 1, "kernel")));
  if (!kernels.empty() && options.has("parameters"))
    throw UsageError("--parameters is of one kernel: tune those of several kernels by themselves");
  std::vector<SuiteMember> members;
  for (std::size_t i = 0; i < lists.size(); ++i) {
    const auto spec = std::make_shared<const KernelSpec>(i == 0 ? first : find_kernel(options, kernels[i - 1]));
    for (Problem& problem : list_problems(*spec, lists[i], kind)) members.push_back({spec, std::move(problem)});
  }
  return members;
}

int tune_suite(const Options& options, KernelRequest request, const std::vector<SuiteMember>& members,
               const std::string& device) {
  const auto count = static_cast<std::int64_t>(members.size());
  if (request.limits.trials && *request.limits.trials < count)
    throw UsageError(fmt::format("--trials {} is less than one for each of the {}", *request.limits.trials,
                                 counted(count, "problem")));
  SuitePools pools(options, device);
  request.lock_folder = usable_lock_folder();
  std::optional<ImageCache> cache;
  if (!request.lock_folder.empty()) cache.emplace(default_cache_path());
  if (!pools.takes_turns()) request.lock_folder.clear();
  const DeviceInfo info = pools.pool().device().info;
  const SessionView view = view_of(options);
  if (info.kind == "cuda") calibrate_first(request, pools.pool(), pools.store(), view == SessionView::json);
  Subjects subjects;
  std::vector<const Subject*> list;
  for (const SuiteMember& one : members) {
    subjects.push_back(std::make_unique<KernelSubject>(*one.spec, one.problem, info));
    list.push_back(subjects.back().get());
  }
  const std::vector<SuiteBench> benches = pools.benches();
  const auto run = [&](SuiteObserver& observer) {
    return run_suite(request, list, benches, cache ? &*cache : nullptr, observer, stop_requests);
  };
  if (view == SessionView::json) {
    SuiteLines lines(request, members, pools.store().ceilings(info.class_key()));
    const SuiteResult result = run(lines);
    for (std::size_t i = 0; i < members.size(); ++i)
      if (!result.problems[i].record) put_error(members[i].spec->name + ": " + result.problems[i].explanation);
    print_suite(result);
    return exit_code_of(result);
  }
  put_text("tuning {} for {} on {}\n", kernels_text(members), counted(count, "problem"), info.name);
  SuiteConsole console(members);
  const SuiteResult result = run(console);
  console.hide();
  show_tables(members, subjects, result, view == SessionView::verbose);
  show_totals(result, benches.size(), pools.store().file().string());
  return exit_code_of(result);
}

}  // namespace attune::cli
