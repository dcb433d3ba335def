#include "recordings/recording_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "attune/error.hpp"
#include "base/identifier.hpp"

namespace attune {
namespace {

constexpr std::size_t max_values = 65535;  // of one parameter: the limit of a search space
constexpr std::size_t max_name = 128;

double number_of(const Value& value) {
  if (value.is_boolean()) return value.boolean() ? 1 : 0;
  return value.is_integer() ? static_cast<double>(value.integer()) : value.real();
}

// Makes all values one kind. If one is a name, all become names; else if one is a real, all become reals; else if one
// is an integer, booleans become integers.
void make_one_kind(std::vector<Value>& values) {
  const auto has = [&](Value::Kind kind) {
    return std::any_of(values.begin(), values.end(), [&](const Value& value) { return value.kind() == kind; });
  };
  const bool names = has(Value::Kind::name), reals = has(Value::Kind::real), integers = has(Value::Kind::integer);
  for (Value& value : values) {
    if (names) {
      value = Value(value.text());
    } else if (reals) {
      value = Value(number_of(value));
    } else if (integers && value.is_boolean()) {
      value = Value(value.boolean() ? 1 : 0);
    }
  }
}

// Refuses times so small that a replay's clock would stand still, or so large that it would lose what is added next.
void check_times(const RecordedTrial& trial) {
  constexpr double least_ns = 1, most_ns = 1e15;
  const auto check = [](std::string_view what, double nanoseconds, double least) {
    if (nanoseconds >= least && nanoseconds <= most_ns) return;
    throw UsageError(fmt::format("{} is {:.3g} s: expected {}; is the unit of time right?", what, nanoseconds * 1e-9,
                                 least > 0 ? "1e-9 s to 1e6 s" : "1e6 s at most"));
  };
  if (trial.verdict == Verdict::ok) check("its time", trial.median_ns, least_ns);
  for (const double sample : trial.samples_ns) check("a single launch", sample, least_ns);
  check("compiling", trial.compile_s * 1e9, 0);
  check("the sum of its launches", trial.launches_s * 1e9, 0);
  check("the framework's time", trial.framework_s * 1e9, 0);
  check("the search's time", trial.search_s * 1e9, 0);
  check("validation", trial.validation_s * 1e9, 0);
}

// Refuses values that differ only in kind, since they become equal when they are made one kind.
void check_different(const Parameter& parameter) {
  std::unordered_set<std::string> met;
  for (const Value& value : parameter.values) {
    if (!met.insert(value.text()).second)
      throw UsageError(
          fmt::format("parameter `{}` has the value {} twice, written in different ways (1 and \"1\"); "
                      "write it in one way",
                      parameter.name, value.text()));
  }
}

}  // namespace

std::string equality_text(const Value& value) {
  if (value.is_name()) return "'" + value.name();
  if (value.is_boolean()) return value.boolean() ? "1" : "0";
  constexpr double max_exact = 9007199254740992.0;  // 2^53: whole numbers up to it have one text each
  const bool is_whole = value.is_real() && std::trunc(value.real()) == value.real();
  if (is_whole && std::abs(value.real()) <= max_exact) return std::to_string(static_cast<std::int64_t>(value.real()));
  return value.text();
}

std::string identifier_of(std::string_view text) {
  std::string name(text.substr(0, max_name - 1));
  for (char& c : name)
    if (!is_identifier(std::string("_") + c)) c = '_';
  if (name.empty()) return "kernel";
  return is_identifier(name) ? name : "_" + name;
}

std::uint16_t RecordingTable::TableColumn::position_of(const Value& value) {
  const auto [found, is_new] =
      positions.try_emplace(equality_text(value), static_cast<std::uint16_t>(parameter.values.size()));
  if (!is_new) return found->second;
  if (parameter.values.size() == max_values) {
    throw UsageError(fmt::format("parameter {} has more than {} values", parameter.name, max_values));
  }
  parameter.values.push_back(value);
  return found->second;
}

void RecordingTable::TableColumn::sort(std::vector<RecordedTrial>& trials, std::size_t column) {
  auto& values = parameter.values;
  if (std::any_of(values.begin(), values.end(), [](const Value& value) { return value.is_name(); })) return;
  std::vector<std::uint16_t> order(values.size()), place(values.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::uint16_t a, std::uint16_t b) { return number_of(values[a]) < number_of(values[b]); });
  std::vector<Value> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.push_back(std::move(values[order[i]]));
    place[order[i]] = static_cast<std::uint16_t>(i);
  }
  values = std::move(sorted);
  for (RecordedTrial& trial : trials) trial.row[column] = place[trial.row[column]];
}

void RecordingTable::add_parameter(const std::string& name, const std::optional<std::vector<Value>>& values) {
  TableColumn column;
  column.parameter.name = identifier_of(name);
  for (const TableColumn& other : columns_) {
    if (other.parameter.name == column.parameter.name) {
      throw UsageError(fmt::format("two parameters are called {}; rename one", column.parameter.name));
    }
  }
  column.listed = values.has_value();
  if (values)
    for (const Value& value : *values) column.position_of(value);
  columns_.push_back(std::move(column));
}

void RecordingTable::add_row(const std::vector<Value>& values, RecordedTrial trial) {
  check_times(trial);
  trial.row.resize(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) trial.row[i] = columns_[i].position_of(values.at(i));
  const auto* const bytes = reinterpret_cast<const char*>(trial.row.data());
  const auto [found, is_new] =
      known_.try_emplace(std::string(bytes, trial.row.size() * sizeof(Row::value_type)), trials_.size());
  if (is_new) {
    trials_.push_back(std::move(trial));
  } else {
    trials_[found->second] = std::move(trial);
  }
}

void RecordingTable::finish(Recording& recording) && {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].listed) columns_[i].sort(trials_, i);
    make_one_kind(columns_[i].parameter.values);
    check_different(columns_[i].parameter);
    recording.parameters.push_back(std::move(columns_[i].parameter));
  }
  recording.trials = std::move(trials_);
}

}  // namespace attune
