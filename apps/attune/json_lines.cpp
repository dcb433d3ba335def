#include "json_lines.hpp"

#include <iostream>

#include "base/enum_texts.hpp"
#include "exports/records_json.hpp"
#include "exports/session_log.hpp"
#include "rates.hpp"
#include "record_text.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

// The words of `end` and of `reason`.
constexpr EnumTexts<Ending> end_texts("finished", "finished", "finished", "finished", "partial", "partial",
                                      "interrupted", "stopped", "no_survivor", "known", "estimated");
constexpr EnumTexts<Ending> reason_texts("everything_tried", "effort_spent", "patience", "target", "time", "trials",
                                         "interrupt", "hopeless", "no_survivor", "known", "estimated");

void add_bound(Json& line, const std::optional<Bound>& bound) {
  if (!bound) return;
  line["bound"] = bound->ceiling;
  line["bound_fraction"] = bound->fraction;
}

}  // namespace

void print_line(const Json& line) {
  std::cout << line.dump(-1, ' ', true, Json::error_handler_t::replace) << std::endl;
}

void add_rates(Json& line, const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
               double nanoseconds) {
  const Rates rates = rates_of(spec, problem, configuration, nanoseconds);
  if (rates.gigabytes) line["gigabytes_per_s"] = *rates.gigabytes;
  if (rates.gigaflops) line["gigaflops_per_s"] = *rates.gigaflops;
  if (!rates.gigaitems) return;
  line["gigaitems_per_s"] = *rates.gigaitems;
  line["unit"] = spec.metrics.unit;
}

Json to_json(const Value& value) { return json_of(value); }

Json to_json(const Bindings& bindings) {
  Json object = Json::object();
  for (const Binding& binding : bindings) object[binding.name] = to_json(binding.value);
  return object;
}

Json to_json(const DeviceInfo& device) {
  Json object;
  object["kind"] = device.kind;
  object["ordinal"] = device.ordinal;
  object["name"] = device.name;
  object["architecture"] = device.architecture();
  object["class"] = device.class_key();
  object["multiprocessors"] = device.multiprocessors;
  object["memory_bytes"] = device.memory_bytes;
  object["l2_bytes"] = device.l2_bytes;
  object["shared_per_block"] = device.shared_per_block;
  object["driver"] = device.driver;
  object["uuid"] = device.uuid;
  return object;
}

Json to_json(const VerdictCounts& counts) {
  Json object = Json::object();
  for (const auto& [verdict, count] : counts) object[std::string(to_text(verdict))] = count;
  return object;
}

void print_line(std::string_view type, const Json& fields) {
  Json line = {{"type", type}};
  line.update(fields);
  print_line(line);
}

void print_record(const Record& record, std::span<const FinalistResult> finalists, std::optional<bool> of_other_code) {
  Json fields = attune::to_json(record);
  if (of_other_code) fields["of_other_code"] = *of_other_code;
  print_line("record", fields);
  for (const FinalistResult& finalist : finalists) print_line("finalist", attune::to_json(finalist));
}

Json JsonLines::line_of(const char* type) const {
  Json line = {{"type", type}};
  if (problem_) line["kernel"] = spec_.name, line["problem"] = to_json(*problem_);
  return line;
}

void JsonLines::session_started(const SessionStart& start) {
  Json line;
  line["type"] = "session";
  line["kernel"] = start.kernel;
  line["problem"] = to_json(start.problem);
  line["device"] = to_json(start.device);
  line["effort"] = to_text(start.effort);
  line["strategy"] = start.strategy;
  line["seed"] = start.seed;
  line["legal"] = to_text(start.legal);  // text: counts may exceed 2^53
  line["cartesian"] = to_text(start.cartesian);
  if (!start.uncounted.empty()) line["uncounted"] = start.uncounted;
  line["trials_before"] = start.trials_before;
  line["ladder_steps"] = start.ladder_steps;
  line["warm_start"] = start.warm_start;
  line["learnt_from"] = start.learnt_from;
  line["toolchain"] = start.toolchain;
  line["self_checked"] = start.self_checked;
  print_line(line);
}

void JsonLines::trial_done(const Trial& trial, const Progress& progress) {
  Json line = line_of("trial");
  line["trial"] = progress.trials;
  line["configuration"] = to_json(trial.configuration);
  line["verdict"] = to_text(trial.verdict);
  if (trial.verdict == Verdict::ok)
    line["median_ns"] = trial.measurement.median_ns;
  else
    line["median_ns"] = nullptr;
  line["compile_ms"] = trial.compile_ms;
  line["registers"] = trial.usage.registers;
  line["shared_bytes"] = trial.usage.shared_static;
  line["max_error"] = trial.numerics.max_absolute;
  line["max_share"] = trial.numerics.max_share;
  line["new_best"] = progress.new_best;
  line["best_ns"] = progress.best_ns > 0 ? Json(progress.best_ns) : Json();
  line["default_ns"] = progress.default_ns > 0 ? Json(progress.default_ns) : Json();
  line["from_log"] = progress.from_log;
  if (!trial.board.empty()) line["board"] = trial.board;
  if (!trial.detail.empty()) line["detail"] = trial.detail;
  print_line(line);
}

void JsonLines::note(const std::string& text) {
  Json line = line_of("note");
  line["text"] = text;
  print_line(line);
}

void JsonLines::show_result(const KernelRequest& request, const SessionResult& result,
                            std::span<const Ceiling> ceilings) {
  Json line = line_of("best");
  line["end"] = end_texts[result.end];
  if (result.reason) line["reason"] = reason_texts[*result.reason];
  line["trials"] = result.trials;
  line["run_trials"] = result.run_trials;
  line["survivors"] = result.survivors;
  line["verdicts"] = to_json(result.verdicts);
  line["rejections"] = Json::array();
  for (const Rejection& rejection : result.rejections)
    line["rejections"].push_back({{"verdict", to_text(rejection.verdict)},
                                  {"count", rejection.count},
                                  {"configuration", to_json(rejection.example)},
                                  {"detail", rejection.detail}});
  line["few_survived"] = result.few_survived;
  line["remarks"] = result.remarks;
  if (result.decision) {
    line["rounds"] = result.decision->used.size();
    line["rounds_dropped"] = result.decision->rounds_dropped;
    line["rounds_throttled"] = result.decision->rounds_throttled;
    line["half_width"] = result.decision->half_width;
    line["settled"] = result.decision->is_settled;
  }
  line["workers_replaced"] = result.workers_replaced;
  line["search_seconds"] = result.seconds;
  line["device_busy_seconds"] = result.device_busy_seconds;
  line["compile_wait_seconds"] = result.compile_wait_seconds;
  if (!result.left_out.empty()) {
    line["left_out"] = Json::array();
    for (const QuarantineEntry& entry : result.left_out)
      line["left_out"].push_back(
          {{"configuration", to_json(entry.configuration)}, {"verdict", to_text(entry.verdict)}});
  }
  if (!result.explanation.empty()) line["explanation"] = result.explanation;
  if (result.record_stands) line["record_stands"] = true;
  if (result.elsewhere)
    line["elsewhere"] = {{"regime", to_text(result.elsewhere->regime)}, {"median_ns", result.elsewhere->median_ns}};
  if (result.record) {
    line["configuration"] = to_json(result.record->configuration);
    line["median_ns"] = result.record->median_ns;
    line["default_ns"] = result.record->default_ns;
    if (result.record->default_ns > 0)
      line["speedup"] = result.record->speedup;
    else
      line["speedup"] = nullptr;  // the default configuration failed
    add_rates(line, spec_, request.problem, result.record->configuration, result.record->median_ns);
    add_bound(line, shown_bound(spec_, *result.record, result.record->median_ns, ceilings));
  } else {
    line["configuration"] = nullptr;
  }
  print_line(line);
  if (result.record) print_record(*result.record, result.finalists);
}

}  // namespace attune::cli
