#include "recordings/recording_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "attune/error.hpp"

namespace attune {
namespace {

struct FailureText {
  std::string_view text;
  Verdict verdict;
};
// Texts that Kernel Tuner writes in place of a time.
constexpr FailureText failures[] = {{"CompilationFailedConfig", Verdict::compile_error},
                                    {"RuntimeFailedConfig", Verdict::launch_error},
                                    {"InvalidConfig", Verdict::restricted}};
constexpr double failed_time = 1e20;  // Kernel Tuner's older versions wrote this number instead

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double number_in(const OrderedJson* json) {
  return json != nullptr && json->is_number() ? json->get<double>() : not_a_number;
}

void fail(RecordedTrial& trial, std::string text) {
  const auto* const known = std::find_if(std::begin(failures), std::end(failures),
                                         [&](const FailureText& failure) { return failure.text == text; });
  trial.verdict = known == std::end(failures) ? Verdict::launch_error : known->verdict;
  trial.detail = std::move(text);
}

bool is_printable(const std::string& text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; });
}

}  // namespace

Value parameter_value(const OrderedJson& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_float()) return Value(json.get<double>());
  const bool is_too_large = json.is_number_unsigned() && json.get<std::uint64_t>() >> 63 != 0;
  if (json.is_number_integer() && !is_too_large) return Value(json.get<std::int64_t>());
  if (json.is_null()) return Value("None");
  if (json.is_string() && is_printable(json.get_ref<const std::string&>())) return Value(json.get<std::string>());
  throw UsageError(
      fmt::format("the value {}: expected an integer below 2**63, a finite number, true, false or a text on one line",
                  shown(json)));
}

std::vector<Value> values_in(const OrderedJson& from, const std::vector<std::string>& names) {
  std::vector<Value> values;
  values.reserve(names.size());
  auto next = from.begin();  // no search while members follow the order of the names, as they nearly always do
  for (const std::string& name : names) {
    const bool is_next = from.is_object() && next != from.end() && next.key() == name;
    const OrderedJson* const value = is_next ? &*next++ : find_member(from, name.c_str());
    if (value == nullptr) throw UsageError(fmt::format("no value of the parameter {}", shown(name)));
    try {
      values.push_back(parameter_value(*value));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("parameter {}: {}", shown(name), error.what()));
    }
  }
  return values;
}

double cost_s(const OrderedJson* json, TimeUnit unit) {
  const double cost = number_in(json) * unit.nanoseconds * 1e-9;
  return std::isfinite(cost) && cost > 0 ? cost : 0;
}

void set_samples(RecordedTrial& trial, const OrderedJson* list, TimeUnit unit) {
  if (list == nullptr || !list->is_array()) return;
  for (const OrderedJson& item : *list) {
    const double sample = number_in(&item) * unit.nanoseconds;
    if (std::isfinite(sample) && sample > 0) trial.samples_ns.push_back(sample);
  }
  trial.launches_s = std::accumulate(trial.samples_ns.begin(), trial.samples_ns.end(), 0.0) * 1e-9;
}

void set_time(RecordedTrial& trial, const OrderedJson* time, TimeUnit unit) {
  if (time != nullptr && time->is_string() && !is_no_number(*time) && !time->get_ref<const std::string&>().empty()) {
    return fail(trial, time->get<std::string>());
  }
  const bool is_absent = time == nullptr || time->is_null();
  if (is_absent && trial.samples_ns.empty()) {
    throw UsageError("neither a time nor single launches: expected a number, or how the row failed");
  }
  if (is_absent) {
    const double sum = std::accumulate(trial.samples_ns.begin(), trial.samples_ns.end(), 0.0);
    trial.median_ns = sum / static_cast<double>(trial.samples_ns.size());
    return;
  }
  const double number = number_in(time);
  if (std::isfinite(number) && number > 0 && number < failed_time) {
    trial.median_ns = number * unit.nanoseconds;
    return;
  }
  if (time->is_structured() || time->is_boolean()) {
    throw UsageError(
        fmt::format("the time {}: expected a number, or a text that says how the row failed", shown(*time)));
  }
  fail(trial, fmt::format("its time is recorded as {}", time->is_string() ? "not a number" : shown(*time)));
}

std::string stem_of(const std::filesystem::path& source) {
  std::filesystem::path stem = source.filename();
  for (const char* const end : {".xz", ".gz", ".json", ".db"})
    if (stem.extension() == end) stem = stem.stem();
  return stem.string();
}

}  // namespace attune
