// attune explain: advice from the trials of a session, and from the counters of its default and its best configuration.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "advice/advice.hpp"
#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "configuration_text.hpp"
#include "core/device_class.hpp"
#include "explain_counters.hpp"
#include "expression/assignments.hpp"
#include "json_lines.hpp"
#include "kernel/nearness.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "rates.hpp"
#include "spec/kernel_file.hpp"
#include "stored.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// The session that is explained, and the configurations that are compared.
struct Explained {
  std::string given;  // KERNEL|FILE.cu
  std::optional<KernelSpec> spec;
  SessionRow session;
  DeviceInfo device;
  std::vector<Trial> trials;
  std::vector<Ceiling> ceilings;
  Configuration chosen;
  std::optional<Configuration> standard;  // the default; nothing where it is the chosen one, or not known

  const RecordKey& key() const { return session.key.record; }
  const Trial* trial() const {
    const auto found = std::ranges::find_if(
        trials, [&](const Trial& one) { return one.verdict == Verdict::ok && one.configuration == chosen; });
    return found == trials.end() ? nullptr : &*found;
  }
};

// Returns the configuration of the record that serves, if this session tried it; else the fastest one that is right.
Configuration best_of(const Explained& explained, WisdomStore& store) {
  const Trial* best = nullptr;
  const std::optional<Record> record = store.find_record(explained.key());
  for (const Trial& trial : explained.trials) {
    if (trial.verdict != Verdict::ok) continue;
    if (record && trial.configuration == record->configuration) return trial.configuration;
    if (best == nullptr || trial.measurement.median_ns < best->measurement.median_ns) best = &trial;
  }
  if (best == nullptr)
    throw UsageError(fmt::format("no configuration of this session works; see: attune trials {} --verdict failed",
                                 shell_word(explained.given)));
  return best->configuration;
}

Explained explained_by(const Options& options) {
  Explained explained;
  explained.given = options.required("kernel");
  const bool is_file = is_kernel_file(explained.given);
  explained.spec = is_file ? load_kernel(explained.given) : builtin_kernel(explained.given);
  const std::string kernel = is_file ? explained.spec->name : explained.given;
  std::optional<WisdomStore> store = open_store(options);
  if (!explained.spec) require_known(kernel, read_kept(store));
  if (!store) throw UsageError("nothing is known of " + kernel + " yet: attune tune " + shell_word(explained.given));
  explained.session = newest_session(*store, kernel, parse_bindings(options.text("problem").value_or("")),
                                     options.text("device").value_or(""), explained.given);
  const RecordKey& key = explained.key();
  const std::string architecture = architecture_of_class(key.device_class);
  const std::vector<std::string> known = known_architectures();
  const bool has_limits = std::ranges::find(known, architecture) != known.end();
  explained.device = has_limits ? device_limits(architecture) : DeviceInfo{};
  explained.device.kind = kind_of(key.device_class);
  explained.device = device_of_class(key.device_class, explained.device).value_or(explained.device);
  explained.trials = store->trials(explained.session.id);
  explained.ceilings = store->ceilings(key.device_class);
  const std::optional<std::string> wanted = options.text("configuration");
  if (wanted && !explained.spec)
    throw UsageError("--configuration needs the kernel's text: name its file instead of " + kernel);
  explained.chosen = wanted ? parse_configuration(*explained.spec, *wanted) : best_of(explained, *store);
  if (explained.spec) explained.standard = default_configuration(*explained.spec, key.problem, explained.device);
  if (explained.standard == explained.chosen) explained.standard.reset();
  note_damage(*store);
  return explained;
}

std::vector<Advice> advice_of(const Explained& explained) {
  AdviceFacts facts;
  facts.device = explained.device;
  facts.trials = explained.trials;
  facts.best = explained.trial();
  facts.ceilings = explained.ceilings;
  // The metrics of another text may count something else.
  if (facts.best != nullptr && explained.spec && explained.spec->fingerprints.contract == explained.key().contract) {
    const KernelSpec& spec = *explained.spec;
    const Problem& problem = explained.key().problem;
    facts.memory = memory_ceiling(spec, problem);
    facts.bytes = amount_of(spec.metrics.bytes, problem, explained.chosen);
    if (explained.device.kind == "cuda")
      facts.bound = bound_of(spec, problem, explained.chosen, facts.best->measurement.median_ns, explained.ceilings);
  }
  return advice_on(facts);
}

// The counters of both configurations, and why there are none.
struct Counted {
  std::optional<Counters> standard, chosen;
  std::string why_not;
};

Counted counted_in_files(const Options& options) {
  Counted counted;
  if (const auto file = options.text("counters")) counted.chosen = counters_of_file(*file);
  if (const auto file = options.text("default-counters")) counted.standard = counters_of_file(*file);
  return counted;
}

// Returns the name of the function that the first step launches, without name space and template arguments.
std::string first_entry(const std::vector<Step>& steps) {
  const auto first = std::ranges::find(steps, StepKind::launch, &Step::kind);
  if (first == steps.end()) return "";
  const std::string name = first->entry.substr(0, first->entry.find('<'));
  const std::size_t scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

Counted counted_here(const Explained& explained, const Options& options) {
  const std::string device = device_name(options);
  if (explained.device.kind != "cuda")
    return {{}, {}, fmt::format("the device `{}` has no counters: tune on a GPU", explained.device.kind)};
  if (!explained.spec) return {{}, {}, "counting launches the kernel, and its text is in its file: name FILE.cu"};
  if (device.substr(0, device.find(':')) != "cuda")
    return {{}, {}, fmt::format("the device `{}` has no counters: add --device cuda", device)};
  const std::string profiler = find_profiler();
  if (profiler.empty())
    return {
        {},
        {},
        "there is no ncu in PATH and /usr/local/cuda/bin: install Nsight Compute, name it by ATTUNE_NCU, or give its "
        "output by --counters and --default-counters"};
  const KernelSpec& spec = *explained.spec;
  CountedSubject subject{.kernel = explained.given,
                         .problem = explained.key().problem.text(),
                         .configuration = "",
                         .device = device,
                         .entry = first_entry(spec.launch)};
  // Launches that make what is expected: the default configuration's, or a reference by the same entry.
  subject.has_others_before = spec.reference.empty() || first_entry(spec.reference) == subject.entry;
  const auto count = [&](const Configuration& configuration) {
    subject.configuration = configuration.text();
    return count_launch(profiler, subject);
  };
  CountedLaunch chosen = count(explained.chosen);
  if (!chosen.counters) return {{}, {}, chosen.why_not};
  CountedLaunch standard = explained.standard ? count(*explained.standard) : CountedLaunch{};
  return {std::move(standard.counters), std::move(chosen.counters), standard.why_not};
}

Json to_json(const std::vector<Advice>& list) {
  Json all = Json::array();
  for (const Advice& one : list)
    all.push_back({{"about", one.about}, {"text", one.text}, {"threshold", one.threshold}, {"evidence", one.evidence}});
  return all;
}

Json to_json(const std::optional<Counters>& counters) {
  if (!counters) return nullptr;
  return {{"kernel", counters->kernel},
          {"metrics", counters->values},
          {"missing", counters->missing},
          {"findings", to_json(findings_in(*counters))}};
}

void print_json(const Explained& explained, const std::vector<Advice>& advice, const Counted& counted) {
  const RecordKey& key = explained.key();
  Json line = {{"type", "explain"},
               {"kernel", key.kernel},
               {"problem", attune::cli::to_json(key.problem)},
               {"device_class", key.device_class},
               {"session", explained.session.id},
               {"configuration", attune::cli::to_json(explained.chosen)},
               {"advice", to_json(advice)},
               {"counters", to_json(counted.chosen)},
               {"default_counters", to_json(counted.standard)}};
  if (!counted.why_not.empty()) line["no_counters"] = counted.why_not;
  print_line(line);
}

void show_advice(const std::vector<Advice>& list) {
  for (const Advice& one : list) {
    put_text("{}", fact_line(one.about, one.text));
    put_text("{}", fact_line("", "evidence: " + one.evidence));
    put_text("{}", fact_line("", "named from: " + one.threshold));
  }
}

std::string figure(const std::optional<Counters>& counters, std::string_view metric) {
  const std::optional<double> value = counters ? counters->find(std::string(metric)) : std::nullopt;
  if (!value) return counters ? "-" : "";
  return *value < 10000 ? fmt::format("{:.4g}", *value) : fmt::format("{:.0f}", *value);
}

void show_findings(const std::string& whose, const std::optional<Counters>& counters, const std::string& device) {
  if (!counters) return;
  const std::vector<Advice> found = findings_in(*counters);
  put_text("{}, by these counters{}\n", whose, found.empty() ? ": nothing is wrong" : "");
  show_advice(found);
  if (!counters->missing.empty())
    put_text("{}",
             note_line(fmt::format("not counted, so nothing is said of: {}", fmt::join(counters->missing, ", "))));
  if (!counters->device.empty() && counters->device != device)
    put_text("{}", note_line("counted on " + counters->device));
}

void show_counters(const Counted& counted, const std::string& device, const std::string& name) {
  if (!counted.why_not.empty()) put_text("counters: {}\n", in_lines_with_command(counted.why_not, 10));
  if (!counted.chosen && !counted.standard) return;
  std::vector<Cells> rows = {{"counters of one launch", counted.standard ? "default" : "", counted.chosen ? name : ""}};
  for (const CounterMetric& metric : counter_metrics())
    rows.push_back(
        {std::string(metric.label), figure(counted.standard, metric.name), figure(counted.chosen, metric.name)});
  put_text("{}", table_text(rows));
  show_findings("default", counted.standard, device);
  show_findings(name, counted.chosen, device);
}

void show(const Explained& explained, const std::vector<Advice>& advice, const Counted& counted, bool is_best) {
  const RecordKey& key = explained.key();
  const Trial* const trial = explained.trial();
  put_text("{}\n", in_lines(fmt::format("{} {} on {}", key.kernel, key.problem.text(), explained.device.name), 2));
  put_text("{}", fact_line("session", fmt::format("{}, effort {}: {}", utc_text(explained.session.started_ms),
                                                  to_text(explained.session.key.effort),
                                                  attune::counted(explained.trials.size(), "trial"))));
  put_text("{}", fact_line(is_best ? "best" : "configuration", whole_text(explained.chosen)));
  if (trial != nullptr) put_text("{}", fact_line("time", time_text(trial->measurement.median_ns)));
  if (explained.spec && explained.spec->fingerprints.code != key.code)
    put_text("{}", note_line("the session is of other code than " + explained.given));
  if (trial == nullptr)
    put_text("{}", note_line("this session did not try this configuration with success, so its trials give no advice"));
  else
    put_text("advice from {}\n", advice.empty() ? "these trials: none" : "these trials");
  show_advice(advice);
  show_counters(counted, explained.device.name, is_best ? "best" : "this one");
}

}  // namespace

int run_explain(const Arguments& arguments) {
  Options options("attune explain KERNEL|FILE.cu [options]",
                  "  attune explain transpose\n"
                  "  attune explain my_kernel.cu --problem \"n=2**20\" --configuration \"BLOCK=256\"\n"
                  "  attune explain my_kernel.cu --default-counters default.csv --counters best.csv\n",
                  {"kernel"});
  options.add()("problem,p", named_value("PROBLEM"), "of these values of the problem alone: \"n=1000 T=float\"")(
      "configuration,c", named_value("VALUES"), "explain this one instead of the best")(
      "device,d", named_value("DEVICE"),
      "whose session, and where launches are counted: cuda, cuda:N, host, or a name")(
      "counters", named_value("FILE"), "of the best (or of --configuration): output of ncu --csv --page raw")(
      "default-counters", named_value("FILE"), "the same of the default configuration")(
      "json", "one JSON object instead of text");
  add_database_option(options);
  if (options.parse(arguments)) return exit_done;
  const bool has_files = options.has("counters") || options.has("default-counters");
  Counted counted = has_files ? counted_in_files(options) : Counted{};
  const Explained explained = explained_by(options);
  const std::vector<Advice> advice = advice_of(explained);
  if (!has_files) counted = counted_here(explained, options);
  if (options.has("json"))
    print_json(explained, advice, counted);
  else
    show(explained, advice, counted, !options.has("configuration"));
  return exit_done;
}

}  // namespace attune::cli
