#include "imports/recorded_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "base/counted.hpp"
#include "base/digest.hpp"
#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "base/unix_ms.hpp"
#include "core/bindings_json.hpp"
#include "expression/assignments.hpp"
#include "imports/foreign_wisdom.hpp"
#include "kernel/legality.hpp"
#include "measure/statistics.hpp"
#include "recordings/recording_table.hpp"
#include "space/default_configuration.hpp"

namespace attune {
namespace {

std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

// Where the values of one of the kernel's parameters come from.
struct ParameterSource {
  const Parameter* parameter = nullptr;
  std::optional<std::size_t> column;         // of the recording; nothing: it is not in the file
  std::vector<std::optional<Value>> values;  // by the positions of the recording; nothing: the kernel lacks the value
};

// Returns the kernel's value that the file's value stands for: 1 for true, 16.0 for 16, "16" for 16.
std::optional<Value> matching_value(const Parameter& parameter, const Value& given) {
  const auto same = std::ranges::find_if(parameter.values, [&](const Value& own) {
    return equality_text(own) == equality_text(given) || (given.is_name() && own.text() == given.name());
  });
  return same == parameter.values.end() ? std::nullopt : std::optional(*same);
}

std::size_t values_used(const Recording& recording, std::size_t column) {
  std::set<std::uint16_t> used;
  for (const RecordedTrial& trial : recording.trials) used.insert(trial.row[column]);
  return used.size();
}

// Makes a session and a record of a recording.
class Conversion {
 public:
  Conversion(const Recording& recording, const ImportTarget& target) : recording_(recording), target_(target) {}

  RecordedParts convert() {
    find_sources();
    take_trials();
    if (trials_.empty())
      throw UsageError(fmt::format("none of its {} is one of the kernel {}{}",
                                   counted(recording_.trials.size(), "configuration"), target_.spec.name,
                                   result_.notes.empty() ? "" : ": " + result_.notes.back()));
    add_session();
    add_record();
    return std::move(result_);
  }

 private:
  void find_sources();
  void refuse_or_leave_out(std::size_t column);
  std::optional<Configuration> configuration_of(const RecordedTrial& trial) const;
  std::string missing_value_of(const RecordedTrial& trial) const;
  void take_trials();
  void add_session();
  void add_record();
  std::string digest(std::string_view of) const;
  RecordKey key() const {
    const Fingerprints& own = target_.spec.fingerprints;
    return {target_.spec.name, own.code,       own.contract, target_.device.class_key(),
            target_.problem,   target_.regime, "time"};
  }

  const Recording& recording_;
  const ImportTarget& target_;
  std::vector<ParameterSource> sources_;
  std::vector<Trial> trials_;
  const Trial* default_ = nullptr;
  bool is_narrowed_ = false;
  RecordedParts result_;
};

// A parameter of the file that is none of the kernel's.
void Conversion::refuse_or_leave_out(std::size_t column) {
  const Parameter& parameter = recording_.parameters[column];
  if (values_used(recording_, column) == 1) {
    const Value& value = parameter.values[recording_.trials.front().row[column]];
    result_.notes.push_back(
        fmt::format("`{}`, which is {} throughout, is no parameter of the kernel", parameter.name, value.text()));
    return;
  }
  throw UsageError(fmt::format(
      "`{}` is no parameter of the kernel {}{}; if it has another name there: --map \"{}=NAME\"", parameter.name,
      target_.spec.name, suggestion(parameter.name, names_of(target_.spec.parameters)), parameter.name));
}

void Conversion::find_sources() {
  for (const Parameter& parameter : target_.spec.parameters) sources_.push_back({&parameter, {}, {}});
  std::map<std::string, std::string> names;
  for (const auto& [from, to] : target_.names) names[identifier_of(from)] = to;
  for (const auto& [from, to] : names)
    if (std::ranges::find(recording_.parameters, from, &Parameter::name) == recording_.parameters.end())
      throw UsageError(fmt::format("--map names `{}`, which is not in the file{}", from,
                                   suggestion(from, names_of(recording_.parameters))));
  for (std::size_t column = 0; column < recording_.parameters.size(); ++column) {
    const Parameter& given = recording_.parameters[column];
    const auto renamed = names.find(given.name);
    const std::string& name = renamed == names.end() ? given.name : renamed->second;
    const auto source =
        std::ranges::find_if(sources_, [&](const ParameterSource& one) { return one.parameter->name == name; });
    if (source == sources_.end()) {
      refuse_or_leave_out(column);
      continue;
    }
    if (source->column)
      throw UsageError(fmt::format("`{}` and `{}` both stand for {}", recording_.parameters[*source->column].name,
                                   given.name, name));
    source->column = column;
    for (const Value& value : given.values) source->values.push_back(matching_value(*source->parameter, value));
  }
  for (const ParameterSource& source : sources_) {
    if (source.column || source.parameter->values.size() == 1) continue;
    is_narrowed_ = true;
    result_.notes.push_back(fmt::format("{} is not in the file, and counts as {}", source.parameter->name,
                                        source.parameter->values.front().text()));
  }
}

// Returns nothing if the kernel lacks one of the values.
std::optional<Configuration> Conversion::configuration_of(const RecordedTrial& trial) const {
  std::vector<Binding> bindings;
  for (const ParameterSource& source : sources_) {
    const std::optional<Value>& value =
        source.column ? source.values[trial.row[*source.column]] : source.parameter->values.front();
    if (!value) return std::nullopt;
    bindings.push_back({source.parameter->name, *value});
  }
  return Configuration(std::move(bindings));
}

// Returns the first value of a row that the kernel lacks, under the file's name: "block_size_x=48".
std::string Conversion::missing_value_of(const RecordedTrial& trial) const {
  for (const ParameterSource& source : sources_) {
    if (!source.column || source.values[trial.row[*source.column]]) continue;
    const Parameter& given = recording_.parameters[*source.column];
    return fmt::format("{}={}", given.name, given.values[trial.row[*source.column]].text());
  }
  return {};
}

std::string text_of_row(const Recording& recording, const Row& row) {
  Bindings values;
  for (std::size_t i = 0; i < row.size(); ++i)
    values.set(recording.parameters[i].name, recording.parameters[i].values[row[i]]);
  return values.text();
}

Measurement measurement_of(const RecordedTrial& recorded) {
  if (recorded.verdict != Verdict::ok) return {};
  if (!recorded.samples_ns.empty()) return summarise(recorded.samples_ns);
  return {{}, recorded.median_ns, recorded.median_ns, recorded.median_ns, recorded.median_ns};
}

void Conversion::take_trials() {
  std::size_t lacking = 0, illegal = 0;
  std::string without_value, not_legal;
  for (const RecordedTrial& recorded : recording_.trials) {
    std::optional<Configuration> configuration = configuration_of(recorded);
    if (!configuration) {
      if (lacking++ == 0) without_value = missing_value_of(recorded) + " in " + text_of_row(recording_, recorded.row);
      continue;
    }
    auto legal = legal_configuration(target_.spec, target_.problem, target_.device, *configuration);
    if (!legal) {
      if (illegal++ == 0)
        not_legal =
            configuration->text() + ": " + why_illegal(target_.spec, target_.problem, target_.device, *configuration);
      continue;
    }
    Trial& trial = trials_.emplace_back();
    trial.configuration = *std::move(legal);
    trial.verdict = recorded.verdict;
    trial.measurement = measurement_of(recorded);
    trial.compile_ms = recorded.compile_s * 1e3;
  }
  if (lacking > 0)
    result_.notes.push_back(fmt::format("{} left out, with values that the kernel does not list, such as {}",
                                        counted(lacking, "configuration"), without_value));
  if (illegal > 0)
    result_.notes.push_back(
        fmt::format("{} left out that are not legal, such as {}", counted(illegal, "configuration"), not_legal));
}

// Returns a digest of what was taken, so that the same file brings the same session and the same record.
std::string Conversion::digest(std::string_view of) const {
  Digest digest;
  const RecordKey record = key();
  for (const std::string& part : {std::string(of), recording_.tool, record.kernel, record.code, record.contract,
                                  record.device_class, bindings_json(record.problem), record.regime})
    digest.add(std::string_view(part));
  for (const Trial& trial : trials_)
    digest.add(std::string_view(fmt::format("{} {} {}", bindings_json(trial.configuration),
                                            static_cast<int>(trial.verdict), trial.measurement.median_ns)));
  return digest.hex();
}

void Conversion::add_session() {
  if (const auto own = default_configuration(target_.spec, target_.problem, target_.device)) {
    const auto found = std::ranges::find(trials_, *own, &Trial::configuration);
    default_ = found == trials_.end() ? nullptr : &*found;
  }
  if (default_ != nullptr && default_->verdict == Verdict::ok)
    for (Trial& trial : trials_) trial.anchor_ns = default_->measurement.median_ns;
  JoinedSession& parts = result_.parts.sessions.emplace_back();
  SessionRow& session = parts.session;
  session.uuid = uuid_of(digest("session"));
  session.key = {key(), target_.spec.fingerprints.space, Effort::measure, recording_.tool};
  session.state = SessionState::finished;
  for (const RecordedTrial& trial : recording_.trials) session.used_seconds += trial.cost_s();
  session.attune_version = library_version;
  session.protocol = 0;
  session.constants = "{}";
  session.started_ms = unix_ms();
  parts.device = target_.device;
  parts.trials = trials_;
}

void Conversion::add_record() {
  const Trial* best = nullptr;
  for (const Trial& trial : trials_)
    if (trial.verdict == Verdict::ok && (best == nullptr || trial.measurement.median_ns < best->measurement.median_ns))
      best = &trial;
  if (best == nullptr) {
    result_.notes.emplace_back("no configuration was right, so there is no record");
    return;
  }
  Record record;
  record.uuid = uuid_of(digest("record"));
  record.key = key();
  record.device_name = target_.device.name;
  record.compute_capability = target_.device.compute_capability;
  record.multiprocessors = target_.device.multiprocessors;
  record.configuration = best->configuration;
  record.median_ns = record.value = best->measurement.median_ns;
  record.min_ns = best->measurement.min_ns;
  record.q1_ns = best->measurement.q1_ns;
  record.q3_ns = best->measurement.q3_ns;
  make_imported(record, recording_.tool);
  record.narrowed = is_narrowed_;
  record.space = target_.spec.fingerprints.space;
  record.attune_version = library_version;
  record.protocol = 0;
  record.trials = static_cast<std::int64_t>(trials_.size());
  record.made_ms = unix_ms();
  if (default_ != nullptr) record.default_verdict = default_->verdict;
  if (default_ != nullptr && default_->verdict == Verdict::ok) {
    const Measurement& of_default = default_->measurement;
    record.default_ns = record.default_value = of_default.median_ns;
    record.speedup = of_default.median_ns / record.median_ns;
    record.speedup_low = std::min(record.speedup, of_default.q1_ns / record.q3_ns);
    record.speedup_high = std::max(record.speedup, of_default.q3_ns / record.q1_ns);
  }
  result_.parts.records.push_back({std::move(record)});
}

}  // namespace

std::map<std::string, std::string> parse_names(const KernelSpec& spec, const std::string& text) {
  std::map<std::string, std::string> names;
  const std::vector<std::string> known = names_of(spec.parameters);
  for (const std::string& item : split_at_commas(text)) {
    const auto sign = item.find('=');
    if (sign == std::string::npos || sign == 0)
      throw UsageError(
          fmt::format("--map `{}`: expected the file's name and the kernel's, as in block_size_x=BLOCK", item));
    const std::string from = item.substr(0, sign), to = item.substr(sign + 1);
    if (std::ranges::find(known, to) == known.end())
      throw UsageError(
          fmt::format("--map `{}`: `{}` is no parameter of {}{}", item, to, spec.name, suggestion(to, known)));
    if (!names.emplace(from, to).second) throw UsageError(fmt::format("--map names `{}` twice", from));
  }
  return names;
}

RecordedParts parts_of(const Recording& recording, const ImportTarget& target) {
  return Conversion(recording, target).convert();
}

}  // namespace attune
