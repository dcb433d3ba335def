#include "core/space/filter.hpp"

#include <algorithm>

namespace attune::space {
namespace {

class Filter {
 public:
  Filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses)
      : scope_(scope), numbers_(numbers), clauses_(clauses) {}

  Filtered run(const std::vector<bool>& left_out) {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      if (!left_out[i]) waiting.push_back(i);
    }
    // The smaller ones first: what they forbid makes the others smaller. Each time one narrows a variable, others that
    // were too large may fit.
    while (!result_.empty && !waiting.empty()) {
      const auto size = [&](std::size_t i) { return combinations(scope_, clauses_[i].variables); };
      const auto least =
          std::min_element(waiting.begin(), waiting.end(), [&](auto a, auto b) { return size(a) < size(b); });
      if (size(*least) > max_table) break;
      const std::size_t clause = *least;
      waiting.erase(least);
      add(clause);
    }
    result_.wide = std::move(waiting);
    if (!result_.empty) settle();
    if (!result_.empty) drop_fixed();
    return std::move(result_);
  }

 private:
  void add(std::size_t clause) {
    Table table = tabulate(clauses_[clause], scope_, numbers_);
    if (table.all()) return;
    result_.tables.push_back(std::move(table));
    result_.table_rule.push_back(clauses_[clause].rule);
    if (result_.tables.back().variables.empty()) {
      result_.empty = true;  // a rule without parameters that is false
      return;
    }
    narrow(result_.tables.size() - 1);
    if (result_.empty || result_.tables.back().variables.size() > 1) return;
    result_.tables.pop_back();  // one variable: its values say it all
    result_.table_rule.pop_back();
  }

  // Narrows the variables of a table to what it supports; true if any was.
  bool narrow(std::size_t number) {
    bool narrowed = false;
    for (std::size_t at = 0; at < result_.tables[number].variables.size() && !result_.empty; ++at) {
      const std::vector<bool> kept = supported(result_.tables[number], at);
      if (std::find(kept.begin(), kept.end(), false) == kept.end()) continue;
      narrowed = true;
      keep(result_.tables[number].variables[at], kept);
    }
    return narrowed;
  }

  void keep(int number, const std::vector<bool>& kept) {
    Variable& variable = scope_.variables[static_cast<std::size_t>(number)];
    std::size_t to = 0;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (kept[i]) variable.positions[to++] = variable.positions[i];
    }
    variable.positions.resize(to);
    result_.empty = result_.empty || to == 0;
    for (Table& table : result_.tables) {
      const auto at = std::lower_bound(table.variables.begin(), table.variables.end(), number);
      if (at != table.variables.end() && *at == number)
        restrict_values(table, static_cast<std::size_t>(at - table.variables.begin()), kept);
    }
  }

  // Until every value of every variable is supported by every table.
  void settle() {
    for (bool narrowed = true; narrowed && !result_.empty;) {
      narrowed = false;
      for (std::size_t i = 0; i < result_.tables.size() && !result_.empty; ++i) narrowed = narrow(i) || narrowed;
    }
  }

  void drop_fixed() {
    std::size_t to = 0;
    for (std::size_t i = 0; i < result_.tables.size(); ++i) {
      Table& table = result_.tables[i];
      for (std::size_t at = table.variables.size(); at-- > 0;) {
        if (table.widths[at] > 1) continue;
        table.variables.erase(table.variables.begin() + static_cast<std::ptrdiff_t>(at));
        table.widths.erase(table.widths.begin() + static_cast<std::ptrdiff_t>(at));
      }
      if (table.all()) continue;
      if (to != i) {
        result_.tables[to] = std::move(table);
        result_.table_rule[to] = result_.table_rule[i];
      }
      ++to;
    }
    result_.tables.resize(to);
    result_.table_rule.resize(to);
  }

  RuleScope& scope_;
  NameNumbers& numbers_;
  const std::vector<Clause>& clauses_;
  Filtered result_;
};

}  // namespace

Filtered filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses,
                const std::vector<bool>& left_out) {
  return Filter(scope, numbers, clauses).run(left_out);
}

}  // namespace attune::space
