#include "report/report_data.hpp"

#include <algorithm>
#include <cmath>

#include "attune/error.hpp"
#include "core/device_class.hpp"
#include "kernel/nearness.hpp"
#include "measure/statistics.hpp"
#include "report/names.hpp"
#include "stored.hpp"

namespace attune::cli {
namespace {

constexpr double longest_pause_seconds = 600;  // longer ones are between two runs of a session

std::vector<double> seconds_of(const std::vector<Trial>& trials, std::int64_t started_ms) {
  std::vector<double> seconds;
  double sum = 0;
  std::int64_t before = started_ms;
  for (const Trial& trial : trials) {
    const double pause = 1e-3 * static_cast<double>(trial.made_ms - before);
    if (pause > 0 && pause <= longest_pause_seconds) sum += pause;
    before = std::max(before, trial.made_ms);
    seconds.push_back(sum);
  }
  return seconds;
}

void read_record(WisdomStore& store, ReportData& data) {
  const RecordKey& key = data.session.key.record;
  data.records = store.records(data.kernel);
  for (const Record& record : data.records)
    if (record.key.code == key.code && record.key.contract == key.contract && record.key.problem == key.problem &&
        record.key.device_class == key.device_class && record.key.regime == key.regime &&
        record.key.objective == key.objective)
      data.record = record;
  if (data.record) data.finalists = store.finalists(data.record->uuid);
  data.ceilings = store.ceilings(key.device_class);
}

void look_into_space(ReportData& data) {
  if (!data.spec || !data.device) {
    data.default_configuration = data.trials.front().configuration;  // what a session tries first
    data.importance = importance_of(data.trials);
    return;
  }
  const Problem& problem = data.session.key.record.problem;
  const SearchSpace space = make_space(*data.spec, problem, *data.device);
  data.legal = space.size();
  data.default_configuration =
      attune::default_configuration(*data.spec, problem, *data.device).value_or(Configuration());
  data.importance = importance_of(space, data.trials);
}

}  // namespace

const Trial* ReportData::find(const Configuration& configuration) const {
  const auto found = std::ranges::find(trials, configuration, &Trial::configuration);
  return found == trials.end() ? nullptr : &*found;
}

std::optional<Configuration> ReportData::chosen() const {
  if (record) return record->configuration;
  const Trial* fastest = nullptr;
  for (const Trial& trial : trials)
    if (trial.verdict == Verdict::ok &&
        (fastest == nullptr || trial.measurement.median_ns < fastest->measurement.median_ns))
      fastest = &trial;
  return fastest == nullptr ? std::nullopt : std::optional(fastest->configuration);
}

const Trial* ReportData::best() const {
  const std::optional<Configuration> configuration = chosen();
  const Trial* const trial = configuration ? find(*configuration) : nullptr;
  return trial != nullptr && trial->verdict == Verdict::ok ? trial : nullptr;
}

ReportData read_report(WisdomStore& store, ReportQuery query) {
  ReportData data;
  data.called = query.called;
  data.session = newest_session(store, query.kernel, query.problem, query.device, data.called);
  const RecordKey& key = data.session.key.record;
  data.kernel = key.kernel;
  if (query.spec) {
    const Fingerprints& of_text = query.spec->fingerprints;
    data.has_other_text = of_text.code != key.code || of_text.contract != key.contract;
    if (!data.has_other_text) data.spec = std::move(query.spec);
  }
  data.trials = store.trials(data.session.id);
  note_damage(store);
  if (data.trials.empty()) throw UsageError("the trials of this session of " + key.kernel + " are damaged; tune again");
  if (!query.shows_names)
    for (Trial& trial : data.trials) trial.detail = without_names(std::move(trial.detail), data.session.host);
  data.seconds = seconds_of(data.trials, data.session.started_ms);
  const std::string architecture = architecture_of_class(key.device_class);
  const std::vector<std::string> known = known_architectures();
  if (std::ranges::find(known, architecture) != known.end())
    data.device = device_of_class(key.device_class, device_limits(architecture));
  else if (architecture == "host")
    data.device = device_of_class(key.device_class, DeviceInfo{});
  if (data.device) data.limits = multiprocessor_limits(*data.device);
  read_record(store, data);
  look_into_space(data);
  return data;
}

std::optional<BlockUse> block_use_of(const ReportData& data, const Trial& trial) {
  return data.limits ? attune::block_use_of(trial, data.spec && !data.spec->verify.empty()) : std::nullopt;
}

std::optional<Occupancy> occupancy_of(const ReportData& data, const Trial& trial) {
  const auto use = block_use_of(data, trial);
  return use ? std::optional(attune::occupancy_of(*use, *data.limits)) : std::nullopt;
}

std::optional<PairedRatio> ratio_to(const FinalistResult& finalist, const FinalistResult& best) {
  const std::vector<double>&times = finalist.measurement.samples_ns, &bests = best.measurement.samples_ns;
  if (times.empty() || times.size() != bests.size()) return std::nullopt;
  std::vector<double> logs;
  for (std::size_t i = 0; i < times.size(); ++i) logs.push_back(std::log(times[i] / bests[i]));
  const Interval interval = median_interval(logs);
  return PairedRatio{std::exp(median(logs)), std::exp(interval.low), std::exp(interval.high)};
}

bool is_tied(const PairedRatio& ratio) {
  constexpr double lean_tie = 1.0025;  // Protocol::lean_tie_ratio
  return ratio.low <= 1 || ratio.ratio < lean_tie;
}

}  // namespace attune::cli
