// attune tune
#include <fmt/format.h>

#include "attune/error.hpp"
#include "attune/strategy.hpp"
#include "device/replay/replay_kernel.hpp"
#include "files/paths.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "put_text.hpp"
#include "replay.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "strategies.hpp"
#include "subject/callable_subject.hpp"
#include "subject/recording_subject.hpp"
#include "tune_boards.hpp"
#include "tune_misses.hpp"
#include "tune_revalidate.hpp"
#include "tune_session.hpp"
#include "tune_suite.hpp"
#include "tuning/program_tunable.hpp"
#include "worker.hpp"
#include "worker/boards.hpp"
#include "worker/callable_spec.hpp"

namespace attune::cli {
namespace {

std::string effort_help() {
  std::string text = "how hard to try:";
  for (const EffortPlan& plan : effort_plans())
    text += fmt::format("\n{}{}: {}", plan.name, plan.search == Effort::measure ? " (default)" : "", plan.summary);
  return text;
}

void add_search_options(Options& options) {
  options.add()("problem,p", named_values("PROBLEM"),
                "what to tune for: \"width=8192 T=float\"; may be given several times; values may be formulas (2**28)")(
      "program", named_value("COMMAND"),
      "in place of KERNEL: what is run by `sh` and does the work of a callable, in any language")(
      "problems", named_values("FILE|RANGE"),
      "many problems as one session, which share the effort's time, images and what proves good; of several kernels a "
      "list for each: a file with one on each line, or \"n=2**16..2**28 times 4 T=float\" (`plus 1024` adds)")(
      "device,d", named_value("DEVICE"),
      "cuda, cuda:N, GPU-UUID, host; several of one class as one session: cuda:0,cuda:1 or all; or "
      "replay:FILE[,noise][,disturbed][,seed=N][,workers]: a recording, without KERNEL or with one of several in it; "
      "[,benches=N]: on N devices; [,paced]: in real time (default: $ATTUNE_DEVICE, else cuda)")(
      "effort", named_value("EFFORT"), effort_help().c_str())(
      "strategy", named_value("STRATEGY"),
      "NAME or NAME:option=value,... (default: the effort's own); `--strategy help` lists them")(
      "time-limit", named_value("TIME"), "end the search after this long: 60s, 5m, 1h")(
      "trials", named_value("N"),
      "end the search after so many trials of this run; those of the runs before do not count")(
      "patience", named_value("N"), "end it after so many trials without an improvement by 1 %")(
      "target", named_value("TARGET"), "end it once this is reached: a time (1.2ms) or a ratio to the default (2x)")(
      "cold-start", "do not try what is known of other problems and devices first")(
      "parameters", named_value("VALUES"), "narrow the values of parameters: \"BLOCK=128,256 PAD=1\"")(
      "seed", named_value("N"), "of the data and of random choices")(
      "fresh", "start over: neither continue a session nor use logged trials")(
      "regime", named_value("REGIME"),
      "what a time means: cold (default), a launch alone that finds other data in the caches; warm, alone on the same "
      "data again; stream, one of many launches in a row, each on other data; records are apart")(
      "objective", named_value("OBJECTIVE"),
      "what is minimised: time (default), energy, or a formula over time (ns), energy (J), power (W), registers, "
      "shared "
      "(bytes), bytes and flops (of [metrics]); several with commas between are traded off; records are apart");
}

// Those of what is stored: logs, records, quarantine.
void add_stored_options(Options& options) {
  options.add()(
      "misses", named_value("LOG"),
      "tune every problem of this log of applications (ATTUNE_LOG_MISSES), with its regime and objective, each within "
      "the given limits; FILE.cu... are the kernel files that the log names, built-in kernels are found by name")(
      "revalidate",
      "measure records of this class of devices again, against the default alone, and correct them: those of another "
      "driver or compiler, imported and adopted ones, and those that no session measured here")(
      "all", "with --revalidate: every record of this class of devices")(
      "dry-run", "with --misses or --revalidate: list what would be measured")(
      "keep-going", "search on even when nearly all of the first 50 configurations fail alike")(
      "lift-quarantine", "try again what killed workers or compilers or was late, also when the session is finished")(
      "db", named_value("FILE"), "the wisdom database (default: $ATTUNE_DB, else the user's own)");
}

Options tune_options() {
  Options options(
      "attune tune KERNEL|FILE.cu [options] | attune tune --misses LOG [FILE.cu...] [options] | attune tune "
      "[KERNEL|FILE.cu...] --revalidate [--all] [options] | attune tune --program COMMAND [options]",
      "  attune tune transpose --problem \"width=8192 height=8192 T=float\"\n"
      "  attune tune reduce --problem \"n=2**22\" --problem \"n=2**28\" --time-limit 5m\n"
      "  attune tune my_kernel.cu --device host --trials 50      # no GPU needed\n"
      "  attune tune transpose --effort patient --target 2x      # until it is twice as fast as the default\n"
      "  attune tune axpy --effort exhaustive --parameters \"BLOCK=128,256 VECTOR=4\" --json\n"
      "  attune tune reduce --device all                         # all GPUs of one class, as one session\n"
      "  attune tune --device replay:gemm_A100.json.xz           # search a recording, in virtual time\n"
      "  attune tune --misses misses.jsonl my_kernel.cu          # what applications asked for and did not find\n"
      "  attune tune reduce --problems \"n=2**16..2**28 times 4 T=float\"   # one session for all of these sizes\n"
      "  attune tune --revalidate                                # records of another driver, or brought in\n"
      "  attune tune --program \"python -m cuattune.serve sort.py:sorting\" --problem n=100000\n"
      "\nThe same command again continues a session that was cut short. It prints the record of a finished session.\n"
      "Ctrl-C keeps the best so far.\n",
      {"kernel", "kernels..."});
  add_search_options(options);
  add_stored_options(options);
  options.add()("verbose,v", "whole configurations, not what differs from the default")(
      "json", "one JSON object per line instead of text");
  add_worker_option(options);
  return options;
}

// Makes the request without problem and effort.
KernelRequest request_from(const Options& options, KernelSpec spec) {
  KernelRequest request;
  request.spec = std::move(spec);
  if (const auto narrowing = options.text("parameters")) request.spec = narrow(std::move(request.spec), *narrowing);
  request.strategy = options.text("strategy").value_or("");
  if (!request.strategy.empty()) check_strategy(request.strategy);
  request.limits.seconds = options.seconds("time-limit");
  request.limits.trials = options.integer("trials", 1, 1'000'000'000'000);
  request.limits.patience = options.integer("patience", 1, 1'000'000'000'000);
  if (const auto target = options.text("target")) request.limits.target = parse_target(*target);
  if (const auto seed = options.integer("seed", 0, 9'223'372'036'854'775'807))
    request.seed = static_cast<std::uint64_t>(*seed);
  request.regime = regime_of(options);
  if (const auto objective = options.text("objective")) request.objectives = Objectives(*objective);
  request.fresh = options.has("fresh");
  request.cold_start = options.has("cold-start");
  request.keep_going = options.has("keep-going");
  request.lift_quarantine = options.has("lift-quarantine");
  return request;
}

// Tunes on a recording, in this process: a recording cannot harm its host as a device can. Only `workers` starts
// processes. Its results are no wisdom: they stay out of the user's database.
int tune_recording(const Options& options, const EffortPlan& effort, const std::string& name) {
  if (!effort.search)
    throw UsageError(
        fmt::format("--effort {} looks up what is known, and nothing is of a recording; use measure", effort.name));
  const std::vector<std::string> problems = options.list("problem");
  if (problems.size() > 1 || options.has("problems"))
    throw UsageError("a recording is of one problem: give --problem once");
  if (options.has("worker")) throw UsageError("a recording is played without --worker: leave it out");
  const ReplayRequest replay = parse_replay(name);
  const std::optional<std::string> problem = problems.empty() ? std::nullopt : std::optional(problems.front());
  const Recording recording = chosen_recording(replay.file, options.text("kernel"), problem);
  KernelRequest request = request_from(options, replay_kernel(recording));
  request.effort = *effort.search;
  request.compile_threads = 1;  // so that trials have one order
  catch_signals();
  WisdomStore store(options.text("db").value_or(in_memory), WisdomStore::Access::read_write,
                    {note_on_stderr, &stop_requests});
  if (replay.workers) {
    const std::unique_ptr<Workers> workers =
        workers_for(bench_names(name, replay), {.arguments = {recording.kernel, recording.problem}});
    Pool pool(*workers);
    const KernelSubject subject(request.spec, {}, pool.device().info);  // compile workers have a part too
    return tune_one(request, subject, pool, store, nullptr, view_of(options));
  }
  LocalWorkers workers(replays_of(recording, replay));
  Pool pool(workers);
  const RecordingSubject subject(recording, request.spec, pool.device().info);
  return tune_one(request, subject, pool, store, nullptr, view_of(options));
}

// Throws UsageError where an option that uses one device is given a list.
void require_one_device(const char* option, const std::string& device) {
  if (names_several(device))
    throw UsageError(
        fmt::format("--{} uses one device, and `{}` names several: name one, such as --device cuda:0", option, device));
}

int tune_log(const Options& options, const EffortPlan& effort, const std::string& device) {
  for (const char* const option : {"problem", "problems", "regime", "objective", "parameters", "program"})
    if (options.has(option))
      throw UsageError(fmt::format("--misses and --{}: each line of the log says its own", option));
  if (!effort.search) throw UsageError(fmt::format("--misses tunes, and effort {} does not search", effort.name));
  if (is_replay(device)) throw UsageError("--misses is of a device that applications use, not of a recording");
  require_one_device("misses", device);
  SessionRequest terms = request_from(options, {});
  terms.effort = *effort.search;
  MissesQuery query{
      *options.text("misses"), {}, device, database_path(options), options.has("dry-run"), view_of(options),
      worker_options(options)};
  if (const auto first = options.text("kernel")) query.files.push_back(*first);
  for (const std::string& further : options.list("kernels")) query.files.push_back(further);
  return tune_misses(query, std::move(terms));
}

int revalidate_records(const Options& options, const std::string& device) {
  for (const char* const option : {"problem", "problems", "regime", "objective", "parameters", "strategy", "effort",
                                   "time-limit", "trials", "patience", "target", "fresh", "program"})
    if (options.has(option))
      throw UsageError(fmt::format("--revalidate and --{}: each record says its own, and nothing is searched", option));
  if (is_replay(device)) throw UsageError("--revalidate is of a device that applications use, not of a recording");
  require_one_device("revalidate", device);
  RevalidationQuery query{{},
                          device,
                          database_path(options),
                          options.has("all"),
                          options.has("dry-run"),
                          view_of(options),
                          worker_options(options)};
  if (const auto first = options.text("kernel")) query.kernels.push_back(*first);
  for (const std::string& further : options.list("kernels")) query.kernels.push_back(further);
  return tune_revalidate(query, request_from(options, {}));
}

// Returns the problems to tune for, in the order of the command.
std::vector<Problem> problems_of(const Options& options, const KernelSpec& spec, const std::string& kind) {
  std::vector<std::string> texts = options.list("problem");
  if (texts.empty()) texts.emplace_back();
  std::vector<Problem> problems;
  for (const std::string& text : texts) problems.push_back(parse_problem(spec, text, kind));
  return problems;
}

template <typename SubjectOfProblem>
int tune_each(KernelRequest request, const std::vector<Problem>& problems, Pool& pool, WisdomStore& store,
              ImageCache* images, SessionView view) {
  int code = exit_done;
  for (const Problem& problem : problems) {
    request.problem = problem;
    const SubjectOfProblem subject(request.spec, problem, pool.device().info);
    const int one = tune_one(request, subject, pool, store, images, view);
    if (one != exit_done) code = one;
    if (one == exit_interrupted) break;
  }
  return code;
}

// Opens the devices, and says which have a part if there are several.
void open_boards(Pool& pool, const Boards& boards, bool json) {
  std::vector<std::string> notes = boards.notes;
  for (std::string& note : pool.open_all(boards.names)) notes.push_back(std::move(note));
  std::vector<DeviceInfo> used;
  for (LaneId lane = 0; lane < pool.lanes(); ++lane) used.push_back(pool.device(lane).info);
  tell_boards(used, std::move(notes), json);
}

// Tunes for each problem on the devices of this name.
int tune_on_device(const Options& options, KernelRequest request, const std::vector<Problem>& problems,
                   const std::string& name) {
  catch_signals();
  WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr, &stop_requests});
  const Boards boards = boards_of(name);
  const std::unique_ptr<Workers> workers = workers_for(boards.names, worker_options(options));
  Pool pool(*workers);
  pool.set_aliases(store.aliases());  // ceilings, records and sessions are those of the device's class
  open_boards(pool, boards, options.has("json"));
  request.lock_folder = usable_lock_folder();
  std::optional<ImageCache> images;
  if (!request.lock_folder.empty()) images.emplace(default_cache_path());
  if (boards.are_one_device) request.lock_folder.clear();
  if (pool.device().info.kind == "cuda") calibrate_first(request, pool, store, options.has("json"));
  return tune_each<KernelSubject>(std::move(request), problems, pool, store, images ? &*images : nullptr,
                                  view_of(options));
}

// Tunes the callable of a program.
int tune_program(const Options& options, const EffortPlan& effort) {
  for (const char* const option : {"device", "worker", "problems", "regime", "objective"})
    if (options.has(option))
      throw UsageError(fmt::format("--program and --{}: {}", option,
                                   option == std::string_view("problems")
                                       ? "give --problem once for each problem of a callable"
                                       : "the program says where and how its callable runs; leave the option out"));
  const std::string command = *options.text("program");
  const Tunable tunable = ask_for_tunable(command);
  KernelRequest request = request_from(options, callable_spec(tunable));
  std::vector<std::string> texts = options.list("problem");
  if (texts.empty()) texts.emplace_back();
  const std::vector<Problem> problems = callable_problems(tunable, texts);
  if (!effort.search)
    return show_matches(
        {request.spec, tunable.name, database_to_read(options), request.regime, "time", &effort, options.has("json")},
        problems, tunable);
  request.effort = *effort.search;
  request.regime = callable_regime;
  catch_signals();
  WisdomStore store(database_path(options), WisdomStore::Access::read_write, {note_on_stderr, &stop_requests});
  const std::unique_ptr<Workers> workers = workers_for(callable_kind, {.arguments = {command}});
  Pool pool(*workers);
  pool.set_aliases(store.aliases());
  request.lock_folder = usable_lock_folder();
  return tune_each<CallableSubject>(std::move(request), problems, pool, store, nullptr, view_of(options));
}

void refuse_contradictions(const Options& options) {
  if (options.has("all")) throw UsageError("--all is of --revalidate");
  if (options.has("dry-run"))
    throw UsageError("--dry-run is of --misses and --revalidate; `attune plan` shows what is known of a problem");
  if (options.has("kernels") && !options.has("problems"))
    throw UsageError(
        "too many arguments: one kernel is tuned, but with --misses and --problems (an argument with spaces needs "
        "quotes)");
  if (options.has("program") && options.has("kernel"))
    throw UsageError("--program and KERNEL: the program says what it tunes; leave one of them out");
  if (options.has("problems") && options.has("problem") && !options.has("program"))
    throw UsageError("--problem and --problems: write all problems into the list");
}

}  // namespace

int run_tune(const Arguments& arguments) {
  Options options = tune_options();
  if (options.parse(arguments)) return exit_done;
  if (options.text("strategy") == "help") {
    put_text("{}", strategies_text());
    return exit_done;
  }
  const EffortPlan& effort = effort_plan(options.text("effort").value_or("measure"));
  const std::string name = device_name(options);
  if (options.has("misses")) return tune_log(options, effort, name);
  if (options.has("revalidate")) return revalidate_records(options, name);
  refuse_contradictions(options);
  if (options.has("program")) return tune_program(options, effort);
  if (is_replay(name)) return tune_recording(options, effort, name);
  KernelRequest request = request_from(options, find_kernel(options, options.required("kernel")));
  const std::string kind = kind_of_boards(name);
  if (options.has("problems") && effort.search) {
    request.effort = *effort.search;
    const std::vector<SuiteMember> members = suite_members(options, request.spec, kind);
    catch_signals();
    return tune_suite(options, std::move(request), members, name);
  }
  if (options.has("kernels"))
    throw UsageError("--effort " + std::string(effort.name) + " looks up one kernel at a time");
  std::vector<Problem> problems;
  if (options.has("problems"))
    for (SuiteMember& one : suite_members(options, request.spec, kind)) problems.push_back(std::move(one.problem));
  else
    problems = problems_of(options, request.spec, kind);
  if (!effort.search)
    return show_matches({request.spec, options.required("kernel"), database_to_read(options), request.regime,
                         request.objectives.text(), &effort, options.has("json")},
                        problems, open_device(boards_of(name).names.front()));
  request.effort = *effort.search;
  return tune_on_device(options, std::move(request), problems, name);
}

}  // namespace attune::cli
