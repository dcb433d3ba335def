// attune explain: advice from the trials of a session, and from the counters of its default and its best configuration.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "advice/advice.hpp"
#include "attune/error.hpp"
#include "base/counted.hpp"
#include "base/shell_word.hpp"
#include "configuration_text.hpp"
#include "explain_counters.hpp"
#include "json_lines.hpp"
#include "kernel/nearness.hpp"
#include "kernel/problem.hpp"
#include "options.hpp"
#include "put_text.hpp"
#include "report/device_use.hpp"
#include "report/report_query.hpp"
#include "stored.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// The session that is explained, and the configurations that are compared.
struct Explained {
  std::string given;               // KERNEL|FILE.cu
  std::optional<KernelSpec> spec;  // as it is now; the session may be of another text
  ReportData data;
  Configuration chosen;
  std::optional<Configuration> standard;  // the default; nothing where it is the chosen one, or not known

  const RecordKey& key() const { return data.session.key.record; }
  std::string_view kind() const { return kind_of(key().device_class); }
  std::string device() const { return data.device ? data.device->name : key().device_class; }
  const Trial* trial() const {
    const Trial* const tried = data.find(chosen);
    return tried != nullptr && tried->verdict == Verdict::ok ? tried : nullptr;
  }
};

Explained explained_by(const Options& options) {
  std::optional<WisdomStore> store = open_store(options);
  ReportQuery query = report_query(options, options.required("kernel"), store);
  Explained explained{.given = query.called, .spec = query.spec, .data = {}, .chosen = {}, .standard = {}};
  explained.given = options.required("kernel");
  explained.data = read_report(*store, std::move(query));
  const std::optional<std::string> wanted = options.text("configuration");
  if (wanted && !explained.spec)
    throw UsageError("--configuration needs the kernel's text: name its file instead of " + explained.given);
  const std::optional<Configuration> best = explained.data.chosen();
  if (!wanted && !best)
    throw UsageError(fmt::format("no configuration of this session works; see: attune trials {} --verdict failed",
                                 shell_word(explained.given)));
  explained.chosen = wanted ? parse_configuration(*explained.spec, *wanted) : *best;
  if (explained.data.spec) explained.standard = explained.data.default_configuration;
  if (explained.standard == explained.chosen) explained.standard.reset();
  return explained;
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
  if (explained.kind() != "cuda")
    return {{}, {}, fmt::format("the device `{}` has no counters: tune on a GPU", explained.kind())};
  if (explained.data.has_other_text)
    return {
        {}, {}, "counting launches the kernel, and this text is not that of the session: name its FILE.cu, or tune"};
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
               {"session", explained.data.session.id},
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
  put_text("{}, by these counters{}\n", whose, found.empty() ? ": nothing is known to be wrong" : "");
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
  put_text("{}\n", in_lines(fmt::format("{} {} on {}", key.kernel, key.problem.text(), explained.device()), 2));
  put_text("{}", fact_line("session", fmt::format("{}, effort {}: {}", utc_text(explained.data.session.started_ms),
                                                  to_text(explained.data.session.key.effort),
                                                  attune::counted(explained.data.trials.size(), "trial"))));
  put_text("{}", fact_line(is_best ? "best" : "configuration", whole_text(explained.chosen)));
  if (trial != nullptr) put_text("{}", fact_line("time", time_text(trial->measurement.median_ns)));
  if (explained.data.has_other_text)
    put_text("{}", note_line("the session is of another text than " + explained.given));
  if (trial == nullptr)
    put_text("{}", note_line("this session did not try this configuration with success, so its trials give no advice"));
  else
    put_text("advice from {}\n", advice.empty() ? "these trials: none" : "these trials");
  show_advice(advice);
  show_counters(counted, explained.device(), is_best ? "best" : "this one");
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
  const std::vector<Advice> advice = advice_on(advice_facts_of(explained.data, explained.trial()));
  if (!has_files) counted = counted_here(explained, options);
  if (options.has("json"))
    print_json(explained, advice, counted);
  else
    show(explained, advice, counted, !options.has("configuration"));
  return exit_done;
}

}  // namespace attune::cli
