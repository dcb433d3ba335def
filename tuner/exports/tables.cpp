#include "exports/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attune/error.hpp"
#include "bundle/kernel_pack.hpp"
#include "core/record_order.hpp"
#include "exports/cover_code.hpp"
#include "kernel/cover_match.hpp"
#include "kernel/problem.hpp"
#include "kernel/substitute.hpp"
#include "space/fallbacks.hpp"

namespace attune {
namespace {

constexpr std::size_t most_combinations = 4096;

// Returns the record's configuration in the order of [parameters], if all its values are listed.
std::optional<Configuration> listed(const KernelSpec& spec, const Configuration& wished) {
  if (wished.size() != spec.parameters.size()) return std::nullopt;
  Configuration configuration;
  for (const Parameter& parameter : spec.parameters) {
    const Value* const value = wished.find(parameter.name);
    if (value == nullptr || std::ranges::find(parameter.values, *value) == parameter.values.end()) return std::nullopt;
    configuration.set(parameter.name, *value);
  }
  return configuration;
}

// Returns the record's problem in the order of [problem], if it is one.
std::optional<Problem> complete_problem(const KernelSpec& spec, const Problem& known) {
  if (known.size() != spec.problem.size()) return std::nullopt;
  try {
    return make_problem(spec, known, "");
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::size_t position_of(std::vector<Configuration>& all, const Configuration& configuration) {
  const auto found = std::ranges::find(all, configuration);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(configuration);
  return all.size() - 1;
}

bool applies(const HeaderTerms& terms, const RecordKey& key) {
  const Fingerprints& own = terms.spec.fingerprints;
  return key.code == own.code && key.contract == own.contract && key.objective == terms.objective;
}

void add_covers(const HeaderTerms& terms, ExportTables& tables) {
  for (const Cover& cover : terms.covers) {
    if (!applies(terms, cover.key) || cover.key.regime != terms.regime || !is_of_present_meaning(cover.protocol) ||
        !is_exportable(cover))
      continue;
    TableCover& added = tables.covers.emplace_back(TableCover{cover, {}});
    for (const Configuration& one : cover.configurations) {
      const auto configuration = listed(terms.spec, one);
      added.positions.push_back(configuration ? std::optional(position_of(tables.configurations, *configuration))
                                              : std::nullopt);
    }
  }
  std::ranges::stable_sort(tables.covers, [&](const TableCover& a, const TableCover& b) {
    return is_preferred(a.cover, b.cover, terms.spec.name);
  });
}

bool is_in_entry(const KernelSpec& spec, const std::string& name) {
  const auto names = [&](const std::string& text) {
    const auto found = names_in_entry(text);
    return std::ranges::find(found, name) != found.end();
  };
  return std::ranges::any_of(spec.launch, [&](const Step& step) { return names(step.entry); }) ||
         std::ranges::any_of(spec.arguments, [&](const Argument& argument) { return names(argument.symbol); });
}

// Returns the values that a name of the problem may have if it decides what is compiled, else none.
std::vector<Value> values_of(const KernelSpec& spec, const ProblemParameter& parameter,
                             std::span<const Bindings> problems, bool with_entry_names) {
  const std::vector<std::string>& names = parameter.kind == ProblemKind::type ? parameter.types : parameter.choices;
  std::vector<Value> values(names.begin(), names.end());
  if (!values.empty() || !with_entry_names || !is_in_entry(spec, parameter.name)) return values;
  for (const Bindings& problem : problems) {
    const Value* const value = problem.find(parameter.name);
    if (value == nullptr) {
      values.clear();
      break;
    }
    if (std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  if (values.empty())
    throw UsageError(fmt::format(
        "kernel `{}`: an entry names `{}`, of which no template has every value; give the values by --problem "
        "\"{}=...\", or use attune's runtime, which compiles what is asked for",
        spec.name, parameter.name, parameter.name));
  return values;
}

}  // namespace

bool is_admitted(const Bindings& problem, const Bindings& part) {
  return std::all_of(part.begin(), part.end(), [&](const Binding& wanted) {
    const Value* const value = problem.find(wanted.name);
    return value == nullptr || *value == wanted.value;
  });
}

Bindings compiled_part(const KernelSpec& spec, const Bindings& problem, bool with_entry_names) {
  Bindings part;
  for (const auto& [name, value] : problem)
    if (value.is_name() || (with_entry_names && is_in_entry(spec, name))) part.set(name, value);
  return part;
}

std::vector<Bindings> type_combinations(const KernelSpec& spec, std::span<const Bindings> problems,
                                        bool with_entry_names) {
  std::vector<Bindings> combinations = {Bindings()};
  for (const ProblemParameter& parameter : spec.problem) {
    const std::vector<Value> values = values_of(spec, parameter, problems, with_entry_names);
    if (values.empty()) continue;
    std::vector<Bindings> longer;
    for (const Bindings& combination : combinations)
      for (const Value& value : values) {
        longer.push_back(combination);
        longer.back().set(parameter.name, value);
      }
    // A combination that is not admitted now will not be admitted with more names.
    std::erase_if(longer, [&](const Bindings& combination) {
      return !problems.empty() &&
             std::ranges::none_of(problems, [&](const Bindings& problem) { return is_admitted(combination, problem); });
    });
    combinations = std::move(longer);
    if (combinations.size() > most_combinations)
      throw UsageError(fmt::format("kernel `{}` has more than {} combinations of types; name some by --problem",
                                   spec.name, most_combinations));
  }
  return combinations;
}

ExportTables make_tables(const HeaderTerms& terms) {
  ExportTables tables;
  // The fall-backs of the runtime, because header and runtime must choose the same.
  for (const Configuration& configuration : fallback_configurations(terms.spec, most_fallbacks))
    tables.fall_backs.push_back(position_of(tables.configurations, configuration));
  for (const Record& record : terms.records) {
    const auto configuration = listed(terms.spec, record.configuration);
    const auto problem = complete_problem(terms.spec, record.key.problem);
    if (!applies(terms, record.key) || !configuration || !problem) continue;
    tables.records.push_back({record, position_of(tables.configurations, *configuration)});
    tables.records.back().record.key.problem = *problem;
  }
  std::ranges::sort(tables.records, is_stronger, &TableRecord::record);
  add_covers(terms, tables);
  return tables;
}

}  // namespace attune
