// attune ladder
#include "kernel/ladder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "attune/error.hpp"
#include "comparison.hpp"
#include "db/wisdom_store.hpp"
#include "json_lines.hpp"
#include "kernel/problem.hpp"
#include "kernel/sweep.hpp"
#include "ladder_table.hpp"
#include "put_text.hpp"
#include "session/explanations.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "worker.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// Of a log-ratio: steps differ by more.
constexpr double settled_log_ratio = 0.01;

Options ladder_options() {
  Options options("attune ladder KERNEL|FILE.cu [options]",
                  "  attune ladder reduce                         # Mark Harris's steps, the default and the record\n"
                  "  attune ladder transpose --problem \"width=4096 height=4096 T=float\"\n"
                  "\nSamples are interleaved in random order, each alone and behind a flush of the caches. Nothing is "
                  "stored.\n",
                  {"kernel"});
  options.add()("ladder", named_value("LADDER"), "one of the kernel's ladders (default: all)")(
      "problem,p", named_value("PROBLEM"), "another problem than the ladder's: \"n=1000 T=float\"");
  add_comparison_options(
      options, "take exactly so many rounds (default: until every speed-up is known within 1 %, 30 to 15000)");
  return options;
}

std::vector<const Ladder*> ladders_wanted(const Options& options, const KernelSpec& spec) {
  std::vector<const Ladder*> wanted;
  std::vector<std::string> names;
  const std::optional<std::string> name = options.text("ladder");
  for (const Ladder& ladder : spec.ladders) {
    names.push_back(ladder.name);
    if (!name || *name == ladder.name) wanted.push_back(&ladder);
  }
  if (names.empty()) {
    std::vector<std::string> with;
    for (const EmbeddedFile& file : builtin_kernels()) {
      const KernelSpec builtin = read_embedded_kernel(file);
      if (!builtin.ladders.empty()) with.push_back(builtin.name);
    }
    throw UsageError(fmt::format("{} has no [[ladder]]; these kernels have one: {}", spec.name, fmt::join(with, ", ")));
  }
  if (wanted.empty())
    throw UsageError(fmt::format("{} has no ladder `{}`; it has: {}", spec.name, *name, fmt::join(names, ", ")));
  return wanted;
}

// Measures the tables of one kernel on one device.
class Ladders {
 public:
  Ladders(const Options& options, const KernelSpec& spec, const std::string& device_name, Pool& pool)
      : options_(options),
        spec_(spec),
        kind_(device_name.substr(0, device_name.find(':'))),
        pool_(pool),
        device_(pool.device().info),
        json_(options.has("json")),
        notes_(json_) {}

  void measure(const Ladder& ladder) {
    std::vector<std::string> problems = ladder.problems;
    if (problems.empty()) problems.emplace_back();
    if (const auto given = options_.text("problem")) problems = {*given};
    for (const std::string& text : problems) {
      if (stop_requests.load() > 0) return;
      const Problem problem = parse_problem(spec_, text, kind_);
      show_subject(ladder, problem);
      try {
        if (ladder.sweep.empty())
          show_steps(ladder, problem);
        else
          show_sweep(ladder, problem);
      } catch (const UsageError&) {
        throw;
      } catch (const Error& error) {  // another problem, or another ladder, may do
        notes_.note(fmt::format("`{}` ends here: {}", ladder.name, error.what()));
        failed_ = true;
      }
      std::fflush(stdout);
    }
  }
  bool failed() const { return failed_; }

 private:
  void show_subject(const Ladder& ladder, const Problem& problem) {
    if (json_)
      return print_line({{"type", "ladder"},
                         {"kernel", spec_.name},
                         {"ladder", ladder.name},
                         {"source", ladder.source},
                         {"problem", to_json(problem)},
                         {"device", to_json(device_)}});
    std::vector<std::string> values;  // less what the table varies
    for (const Binding& binding : problem)
      if (ladder.sweep.empty() || binding.name != parse_sweep(ladder.sweep).name)
        values.push_back(binding.name + "=" + binding.value.text());
    put_text(
        "{}\n",
        in_lines(fmt::format("{}: {}, {} on {}", spec_.name, ladder.name, fmt::join(values, " "), device_.name), 2));
    if (kind_ == "host") notes_.note("the host device runs blocks one after another: its times mean little");
  }

  void show_steps(const Ladder& ladder, const Problem& problem) {
    const std::optional<LadderTable> table = compare(ladder, problem, true);
    if (!table) return;
    if (!json_) return put_text("\n{}\n", ladder_text(*table, options_.has("verbose")));
    for (const Json& line : ladder_lines(*table)) print_line(line);
  }

  void show_sweep(const Ladder& ladder, Problem problem) {
    const Sweep sweep = parse_sweep(ladder.sweep);
    std::vector<LadderTable> tables;
    for (std::int64_t value = sweep.first; value <= sweep.last && stop_requests.load() == 0; ++value) {
      problem.set(sweep.name, value);
      std::optional<LadderTable> table = compare(ladder, problem, false);
      if (!table) continue;
      if (json_)
        for (const Json& line : ladder_lines(*table)) print_line(line);
      tables.push_back(std::move(*table));
    }
    if (!json_ && !tables.empty()) put_text("\n{}\n", sweep_text(tables, sweep.name, options_.has("verbose")));
  }

  // Steps that are not legal are left out, and said. Nothing where none is.
  std::vector<NamedConfiguration> legal_steps(const Ladder& ladder, const SearchSpace& space) {
    std::vector<NamedConfiguration> named;
    for (const LadderStep& step : ladder.steps) {
      const Configuration configuration = parse_configuration(spec_, step.configuration);
      const std::vector<std::string> broken = space.broken_rules(configuration);
      if (broken.empty())
        named.push_back({step.name, configuration});
      else
        notes_.note(
            fmt::format("`{}` is left out: {} breaks {}", step.name, configuration.text(), fmt::join(broken, ", ")));
    }
    return named;
  }

  // `all`: with the default, the record and a copy.
  std::optional<LadderTable> compare(const Ladder& ladder, const Problem& problem, bool all) {
    const KernelSubject subject(spec_, problem, device_);
    const SearchSpace& space = subject.space();
    const std::optional<Configuration>& by_default = subject.default_configuration();
    if (!by_default) throw Error(fmt::format("{} has no legal configuration for {}", spec_.name, problem.text()));
    SideBySideTask task{Regime::cold, legal_steps(ladder, space)};
    if (all || ladder.steps.empty()) task.configurations.push_back({"default", *by_default});
    const std::optional<Record> record =
        all ? stored_record(spec_, problem, device_, Regime::cold, database_to_read(options_)) : std::nullopt;
    if (record && space.broken_rules(record->configuration).empty())
      task.configurations.push_back({"tuned", record->configuration});
    else if (all)
      notes_.note("there is no record; to make one: " +
                  tune_command({spec_, problem, device_, options_.required("kernel"), "cold", "time"}));
    if (task.configurations.empty()) return std::nullopt;
    SideBySideRequest request;
    request.default_configuration = *by_default;
    request.tasks = {task};
    request.copy = all;
    request.protocol = protocol_wanted(options_, settled_log_ratio);
    request.lock_folder = usable_lock_folder();
    std::vector<SideBySide> compared = notes_.measure(std::move(request), subject, pool_, stop_requests);
    if (compared.empty()) return std::nullopt;
    failed_ = failed_ || has_failed(compared.front());
    return LadderTable{spec_, ladder, problem, compared.front(), bound_in(problem, compared.front())};
  }

  // Of the record, else of the default: the row before the copy.
  std::optional<Bound> bound_in(const Problem& problem, const SideBySide& compared) const {
    const auto is_shown = [](const SideBySideRow& row) { return !row.is_copy && row.time_ns.value > 0; };
    const auto last = std::find_if(compared.rows.rbegin(), compared.rows.rend(), is_shown);
    std::error_code unknown;
    if (last == compared.rows.rend() || kind_ == "host" ||
        !std::filesystem::exists(database_to_read(options_), unknown))
      return std::nullopt;
    WisdomStore store(database_to_read(options_), WisdomStore::Access::read_only, {note_on_stderr, &stop_requests});
    return bound_of(spec_, problem, last->configuration, last->time_ns.value, store.ceilings(device_.class_key()));
  }

  const Options& options_;
  const KernelSpec& spec_;
  const std::string kind_;
  Pool& pool_;
  const DeviceInfo& device_;
  const bool json_;
  Notes notes_;
  bool failed_ = false;
};

}  // namespace

int run_ladder(const Arguments& arguments) {
  Options options = ladder_options();
  if (options.parse(arguments)) return exit_done;
  const std::string name = device_name(options);
  refuse_what_runs_nothing(name);
  const KernelSpec spec = find_kernel(options, options.required("kernel"));
  const std::vector<const Ladder*> wanted = ladders_wanted(options, spec);
  catch_signals();
  const std::unique_ptr<Workers> workers = workers_for(name, worker_options(options));
  Pool pool(*workers);
  Ladders ladders(options, spec, name, pool);
  for (const Ladder* const ladder : wanted) ladders.measure(*ladder);
  if (stop_requests.load() > 0) {
    put_error("interrupted; what was known by then is shown");
    return exit_interrupted;
  }
  return ladders.failed() ? exit_no_survivor : exit_done;
}

}  // namespace attune::cli
