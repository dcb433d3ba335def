// attune bench
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "attune/error.hpp"
#include "base/near_name.hpp"
#include "bench_table.hpp"
#include "comparison.hpp"
#include "files/paths.hpp"
#include "json_lines.hpp"
#include "kernel/ladder.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "session/explanations.hpp"
#include "session/side_by_side.hpp"
#include "spec/kernel_file.hpp"
#include "stop_requests.hpp"
#include "stored.hpp"
#include "text.hpp"
#include "worker.hpp"
#include "worker/peer_library.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

Options bench_options() {
  Options options(
      "attune bench KERNEL|FILE.cu [options]",
      "  attune bench transpose                       # the default, the record, a copy of as many bytes\n"
      "  attune bench my_kernel.cu -c \"BLOCK=256\" -c \"BLOCK=512 PAD=1\" --problem \"n=2**20\"\n"
      "  attune bench reduce --regime all --steps     # cold, warm and in a stream; and each step of a launch\n"
      "\nSamples are interleaved in random order. Times and speed-ups have 95 % intervals. Nothing is stored.\n"
      "Ctrl-C shows what is known so far.\n",
      {"kernel"});
  options.add()("configuration,c", named_values("VALUES"),
                "parameter values to compare with the default; those left out take their defaults; may be given "
                "several times")("problem,p", named_value("PROBLEM"), "the problem: \"n=1000 T=float\"")(
      "regime", named_value("REGIME"), "cold (default), warm, stream or all")(
      "steps", "time the steps of a launch too, in the regimes cold and warm")(
      "no-copy", "without the copy of as many bytes within the device's memory")(
      "peers", named_values("LIBRARY"),
      "a library of peers of this kernel, such as a vendor's routines, to compare too; may be given several times")(
      "over", named_value("ROW"), "the row over which speed-ups are, such as record (default: the first)");
  add_comparison_options(
      options, "take exactly so many rounds (default: until every speed-up is known within 0.25 %, 30 to 15000)");
  return options;
}

std::vector<Regime> regimes_wanted(const Options& options, const KernelSpec& spec, Observer& notes) {
  const std::string text = options.text("regime").value_or("cold");
  std::vector<Regime> wanted(regimes.begin(), regimes.end());
  if (const std::optional<Regime> one = attune::regime_of(text))
    wanted = {*one};
  else if (text != "all")
    throw UsageError("unknown regime `" + text + "`; it is " + std::string(regime_names) + ", or all of them: `all`");
  else if (spec.restores_inputs()) {
    std::erase(wanted, Regime::stream);
    notes.note(no_stream_explanation(spec.name));
  }
  if (!options.has("steps") || std::find(wanted.begin(), wanted.end(), Regime::stream) == wanted.end()) return wanted;
  if (wanted.size() == 1)
    throw UsageError("--steps times the steps of a launch alone, and a stream has none; use --regime cold or warm");
  notes.note("steps are timed in the regimes cold and warm alone");
  return wanted;
}

// The peers of the kernel in the libraries that were named.
std::vector<NamedPeer> peers_wanted(const Options& options, const KernelSpec& spec, Observer& notes) {
  std::vector<NamedPeer> wanted;
  for (const std::string& text : options.list("peers")) {
    const std::filesystem::path library = std::filesystem::absolute(text);
    const std::vector<std::string> names = peer_names(library, spec.name);
    if (names.empty()) notes.note(text + " has no peer of " + spec.name);
    for (const std::string& name : names) wanted.push_back({name, library});
  }
  return wanted;
}

// Refuses a base that is no row. A record that there is none of is one: a note says so.
void require_row(const SideBySideRequest& request) {
  if (request.base.empty() || request.base == "record") return;
  std::vector<std::string> rows;
  for (const SideBySideTask& task : request.tasks)
    for (const NamedConfiguration& one : task.configurations) rows.push_back(one.name);
  for (const NamedPeer& peer : request.peers) rows.push_back(peer.name);
  if (request.copy) rows.emplace_back("copy");
  if (std::find(rows.begin(), rows.end(), request.base) == rows.end())
    throw UsageError(fmt::format("--over {}: there is no such row{}; the rows are {}", request.base,
                                 suggestion(request.base, rows), fmt::join(rows, ", ")));
}

// What is compared: configurations by their names.
class Lineup {
 public:
  Lineup(const Options& options, const KernelSubject& subject, const DeviceInfo& device)
      : spec_(subject.spec()),
        problem_(subject.problem()),
        device_(device),
        kernel_(options.required("kernel")),
        database_(database_to_read(options)),
        space_(subject.space()) {
    if (subject.default_configuration()) named_.push_back({"default", *subject.default_configuration()});
    for (const std::string& text : options.list("configuration")) {
      const Configuration given = parse_configuration(spec_, text);
      if (const std::vector<std::string> broken = space_.broken_rules(given); !broken.empty())
        throw UsageError(fmt::format("{} is not legal for {}: it breaks:\n  {}", given.text(), problem_.text(),
                                     fmt::join(broken, "\n  ")));
      named_.push_back({std::to_string(++given_), given});
    }
    if (named_.empty())
      throw Error(spec_.name + " has no legal configuration for " + problem_.text() +
                  "; see: " + space_command(options, problem_.text()));
  }

  const Configuration& first() const { return named_.front().configuration; }

  // The record follows the default.
  SideBySideTask task(Regime regime, Observer& notes) const {
    SideBySideTask task{regime, named_};
    const std::optional<Record> record = stored_record(spec_, problem_, device_, regime, database_);
    const auto at = task.configurations.begin() + (named_.front().name == "default" ? 1 : 0);
    if (!record)
      notes.note(fmt::format("no record of the regime {} on {}; to make one: {}", to_text(regime), device_.name,
                             tune_command({spec_, problem_, device_, kernel_, std::string(to_text(regime)), "time"})));
    else if (!space_.broken_rules(record->configuration).empty())
      notes.note(fmt::format("the record of the regime {} is not legal any more: {}", to_text(regime),
                             record->configuration.text()));
    else
      task.configurations.insert(at, {"record", record->configuration});
    return task;
  }

 private:
  const KernelSpec& spec_;
  const Problem& problem_;
  const DeviceInfo& device_;
  const std::string kernel_, database_;
  const SearchSpace& space_;
  std::vector<NamedConfiguration> named_;
  int given_ = 0;
};

Json row_to_json(const SideBySideRow& row, const SideBySide& compared, const KernelSubject& subject) {
  Json line{{"type", "row"}, {"regime", to_text(compared.regime)}, {"name", row.name}};
  line["configuration"] = row.is_copy || row.is_peer ? Json() : to_json(row.configuration);
  if (row.is_peer) line["peer"] = true;
  line["verdict"] = to_text(row.status.verdict);
  if (!row.status.detail.empty()) line["detail"] = row.status.detail;
  if (!row.status.ok() || compared.rounds == 0) return line;
  line.update(estimate_fields("median_ns", row.time_ns));
  line.update(estimate_fields("speedup", row.speedup));
  line["over"] = compared.base;
  line["rounds"] = compared.rounds;
  line["batch"] = compared.batch;
  line["half_width"] = compared.half_width;
  if (row.is_copy)
    line["gigabytes_per_s"] = static_cast<double>(compared.copy_bytes) / row.time_ns.value;
  else
    add_rates(line, subject.spec(), subject.problem(), row.configuration, row.time_ns.value);
  for (const StepTimes& step : row.steps) {
    Json timed{{"step", step.name}, {"up_to_ns", step.up_to_ns}};
    timed.update(estimate_fields("share", step.share));
    line["steps"].push_back(timed);
  }
  return line;
}

void show(const SideBySide& compared, const KernelSubject& subject, const Protocol& protocol, bool json, bool verbose) {
  if (json) {
    for (const SideBySideRow& row : compared.rows) print_line(row_to_json(row, compared, subject));
    return;
  }
  put_text("\n{}", side_by_side_text(compared, subject.spec(), subject.problem(), protocol, verbose));
  if (const std::string steps = steps_text(compared); !steps.empty()) put_text("\n{}", steps);
  std::fflush(stdout);
}

void show_subject(const KernelSubject& subject, const DeviceInfo& device, bool json) {
  if (json)
    return print_line({{"type", "bench"},
                       {"kernel", subject.name()},
                       {"problem", to_json(subject.problem())},
                       {"device", to_json(device)}});
  put_text("{}\n", in_lines(fmt::format("{} {} on {}", subject.name(), subject.problem().text(), device.name), 2));
  std::fflush(stdout);
}

}  // namespace

int run_bench(const Arguments& arguments) {
  Options options = bench_options();
  if (options.parse(arguments)) return exit_done;
  const std::string name = device_name(options);
  refuse_what_runs_nothing(name);
  const bool json = options.has("json");
  SideBySideRequest request;
  const KernelSpec spec = find_kernel(options, options.required("kernel"));
  const Problem problem = parse_problem(spec, options.text("problem").value_or(""), name.substr(0, name.find(':')));
  request.steps = options.has("steps");
  request.copy = !options.has("no-copy");
  request.base = options.text("over").value_or("");
  request.protocol = protocol_wanted(options, Protocol{}.settled_log_ratio);
  request.lock_folder = usable_lock_folder();
  catch_signals();
  const std::unique_ptr<Workers> workers = workers_for(name, worker_options(options));
  Pool pool(*workers);
  const DeviceInfo& device = pool.device().info;
  const KernelSubject subject(spec, problem, device);
  request.compared = [&, verbose = options.has("verbose")](const SideBySide& compared) {
    show(compared, subject, request.protocol, json, verbose);
  };
  Notes notes(json);
  const Lineup lineup(options, subject, device);
  const std::vector<Regime> wanted = regimes_wanted(options, spec, notes);
  show_subject(subject, device, json);
  for (const Regime regime : wanted) request.tasks.push_back(lineup.task(regime, notes));
  request.peers = peers_wanted(options, spec, notes);
  require_row(request);
  request.default_configuration = lineup.first();
  const std::vector<SideBySide> all = notes.measure(request, subject, pool, stop_requests);
  if (stop_requests.load() > 0) {
    put_error("interrupted; what was known by then is shown");
    return exit_interrupted;
  }
  return std::any_of(all.begin(), all.end(), has_failed) ? exit_no_survivor : exit_done;
}

}  // namespace attune::cli
