#include "measure/objective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attune/error.hpp"
#include "core/objective_text.hpp"

namespace attune {
namespace {

constexpr std::array<std::string_view, 7> known_names = {"time",   "energy", "power", "registers",
                                                         "shared", "bytes",  "flops"};

bool uses(const Expression& formula, std::string_view name) {
  return std::find(formula.names().begin(), formula.names().end(), name) != formula.names().end();
}

Bindings bindings_of(const ObjectiveFacts& facts) {
  Bindings known;
  known.set("time", facts.time_ns);
  known.set("registers", facts.registers);
  known.set("shared", facts.shared_bytes);
  if (facts.bytes) known.set("bytes", *facts.bytes);
  if (facts.flops) known.set("flops", *facts.flops);
  if (!facts.energy_j) return known;
  known.set("energy", *facts.energy_j);
  known.set("power", *facts.energy_j / (facts.time_ns * 1e-9));
  return known;
}

}  // namespace

Objectives::Objectives(std::string_view text) {
  for (const std::string_view part : objective_formulas(text)) {
    if (part.empty())
      throw UsageError(fmt::format("an objective is missing in `{}`; for instance: time, energy * time", text));
    const Expression& formula = formulas_.emplace_back(part);
    for (const std::string& name : formula.names()) {
      if (std::find(known_names.begin(), known_names.end(), name) != known_names.end()) continue;
      throw UsageError(fmt::format("the objective `{}` names {}; known: {}", part, name, fmt::join(known_names, ", ")));
    }
    if (formula.names().empty())
      throw UsageError(fmt::format("the objective `{}` is the same for every configuration; name at least one of {}",
                                   part, fmt::join(known_names, ", ")));
  }
  text_ = canonical_objective(text);
}

bool Objectives::needs_energy(std::size_t which) const {
  return uses(formulas_[which], "energy") || uses(formulas_[which], "power");
}

bool Objectives::needs_energy() const {
  for (std::size_t i = 0; i < size(); ++i)
    if (needs_energy(i)) return true;
  return false;
}

std::string Objectives::missing_metric(bool has_bytes, bool has_flops) const {
  for (const Expression& formula : formulas_) {
    if (!has_bytes && uses(formula, "bytes")) return "bytes";
    if (!has_flops && uses(formula, "flops")) return "flops";
  }
  return "";
}

double Objectives::value(std::size_t which, const ObjectiveFacts& facts) const {
  if (is_time()) return facts.time_ns;
  const Bindings known = bindings_of(facts);
  const Expression& formula = formulas_[which];
  const double value = formula.real({&known, nullptr, facts.device}, "the objective");
  if (std::isfinite(value) && value > 0) return value;
  throw Error(
      fmt::format("the objective `{}` is {} for {}; it must be greater than 0 everywhere, since configurations "
                  "are compared by ratios (perhaps `{} + 1`)",
                  formula.text(), value, known.text(), formula.text()));
}

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values) {
  const auto dominates = [](const std::vector<double>& a, const std::vector<double>& b) {
    bool better = false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (a[i] > b[i]) return false;
      better = better || a[i] < b[i];
    }
    return better;
  };
  std::vector<bool> front(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    front[i] = std::none_of(values.begin(), values.end(),
                            [&](const std::vector<double>& other) { return dominates(other, values[i]); });
  return front;
}

}  // namespace attune
