// The search space of a kernel: its own rules and the device's limits for every launch step.
#include <fmt/format.h>

#include <algorithm>

#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/parameter_bytes.hpp"
#include "kernel/tensor_maps.hpp"
#include "space/stages/value_index.hpp"

namespace attune {
namespace {

constexpr std::string_view axes = "xyz";

// Collects the rules that the device implies, each text once.
class ImpliedRules {
 public:
  void add_step(const KernelSpec& spec, const Step& step, const DeviceInfo& device) {
    if (step.kind != StepKind::launch) return;
    guard_ = step.when ? fmt::format("!({}) || ", step.when->text()) : "";
    std::string threads;
    for (std::size_t i = 0; i < std::min(step.block.size(), axes.size()); ++i) {
      const std::string& size = step.block[i].text();
      add(fmt::format("({0}) >= 1 && ({0}) <= device.max_block_{1}", size, axes[i]));
      threads += fmt::format("{}({})", threads.empty() ? "" : " * ", size);
    }
    if (!threads.empty()) add(threads + " <= device.max_threads_per_block");
    if (step.shared) add(fmt::format("({0}) >= 0 && ({0}) <= device.shared_per_block", step.shared->text()));
    for (std::size_t i = 0; i < std::min(step.grid.size(), axes.size()); ++i) {
      add(fmt::format("({0}) >= 1 && ({0}) <= device.max_grid_{1}", step.grid[i].text(), axes[i]));
    }
    add_cluster(step);
    if (const auto bytes = parameter_bytes(spec, step))
      add(fmt::format("{} <= {}", bytes->text(), device.max_parameter_bytes()));
  }

  void add_map(const KernelSpec& spec, const Argument& map) {
    guard_ = map.tiles->when ? fmt::format("!({}) || ", map.tiles->when->text()) : "";
    for (const TensorLimit& limit : tensor_limits(spec, map)) add(limit.condition.text());
  }

  void add_architecture(const CompileOptions& compile, const DeviceInfo& device) {
    if (!compile.requires_where || has_architecture(device, compile.requires_architecture)) return;
    guard_.clear();
    add(fmt::format("!({})", compile.requires_where->text()));
  }

  std::vector<Rule> take() { return std::move(rules_); }

 private:
  // Adds that the grid divides into whole clusters of blocks.
  void add_cluster(const Step& step) {
    std::string blocks;
    for (std::size_t i = 0; i < std::min(step.cluster.size(), step.grid.size()); ++i) {
      add(fmt::format("({0}) >= 1 && ({1}) % ({0}) == 0", step.cluster[i].text(), step.grid[i].text()));
      blocks += fmt::format("{}({})", blocks.empty() ? "" : " * ", step.cluster[i].text());
    }
    if (!blocks.empty()) add(blocks + " <= device.max_cluster");
  }

  void add(const std::string& condition) {
    const std::string text = guard_.empty() ? condition : fmt::format("{}({})", guard_, condition);
    const bool known =
        std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) { return rule.expression.text() == text; });
    if (!known) rules_.push_back({Expression(text), true});
  }

  std::string guard_;
  std::vector<Rule> rules_;
};

// Returns the i-th parameter's value. Listed configurations nearly always have their values in the order of the
// parameters.
const Value& value_of(const Configuration& configuration, std::size_t i, const std::string& name) {
  if (i < configuration.size() && configuration.begin()[static_cast<std::ptrdiff_t>(i)].name == name)
    return configuration.begin()[static_cast<std::ptrdiff_t>(i)].value;
  return configuration.at(name);
}

// Returns the rows of those listed configurations whose values the parameters still have.
std::vector<Row> listed_rows(const KernelSpec& spec) {
  std::vector<space::ValueIndex> positions;
  for (const Parameter& parameter : spec.parameters) positions.emplace_back(parameter.values);
  std::vector<Row> rows;
  for (const Configuration& configuration : *spec.listed) {
    Row row;
    row.reserve(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
      const auto position = positions[i].position_of(value_of(configuration, i, spec.parameters[i].name));
      if (!position) break;
      row.push_back(*position);
    }
    if (row.size() == spec.parameters.size()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

SearchSpace make_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  if (spec.listed) return SearchSpace::listed(spec.parameters, listed_rows(spec));
  std::vector<Rule> rules;
  for (const auto& rule : spec.rules) rules.push_back({rule, false});
  ImpliedRules implied;
  for (const auto& step : spec.launch) implied.add_step(spec, step, device);
  for (const auto& step : spec.verify) implied.add_step(spec, step, device);
  for (const auto& argument : spec.arguments)
    if (argument.role == Role::map) implied.add_map(spec, argument);
  implied.add_architecture(spec.compile, device);
  for (auto& rule : implied.take()) rules.push_back(std::move(rule));
  return SearchSpace::relaxed(spec.parameters, std::move(rules), &problem, &device);
}

}  // namespace attune
