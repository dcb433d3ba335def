#include "space/stages/filter.hpp"

#include <algorithm>

namespace attune::space {
namespace {

class Filter {
 public:
  Filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses)
      : scope_(scope), numbers_(numbers), clauses_(clauses) {}

  FilterResult run(const std::vector<bool>& left_out) {
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      if (!left_out[i]) waiting_.push_back(i);
    }
    // Values that are dropped late may make a large clause small.
    do {
      tabulate_small();
      settle();
    } while (!result_.empty && std::any_of(waiting_.begin(), waiting_.end(), [&](auto i) { return is_small(i); }));
    std::sort(waiting_.begin(), waiting_.end());
    result_.wide = std::move(waiting_);
    if (!result_.empty) drop_fixed();
    return std::move(result_);
  }

 private:
  std::size_t size_of(std::size_t clause) const { return combinations(scope_, clauses_[clause].variables); }

  // A clause in one variable is always small: it is a list of values.
  bool is_small(std::size_t clause) const {
    const auto& variables = clauses_[clause].variables;
    const auto is_open = [&](int variable) { return scope_.variables[static_cast<std::size_t>(variable)].width() > 1; };
    return size_of(clause) <= max_table || std::count_if(variables.begin(), variables.end(), is_open) <= 1;
  }

  // Small clauses first: their restrictions make the others smaller.
  void tabulate_small() {
    bool is_sorted = false;
    while (!result_.empty && !waiting_.empty()) {
      if (!is_sorted) sort_waiting();
      const std::size_t clause = waiting_.back();
      if (!is_small(clause)) return;
      waiting_.pop_back();
      is_sorted = !add(clause);
    }
  }

  // Puts the smallest last; among equal ones, the first in the text comes last.
  void sort_waiting() {
    std::vector<std::pair<std::size_t, std::size_t>> by_size;
    for (const std::size_t clause : waiting_)
      by_size.emplace_back(is_small(clause) ? std::min(size_of(clause), max_table) : size_of(clause), clause);
    std::sort(by_size.rbegin(), by_size.rend());
    for (std::size_t i = 0; i < waiting_.size(); ++i) waiting_[i] = by_size[i].second;
  }

  // Returns whether a variable was narrowed.
  bool add(std::size_t clause) {
    Table table = tabulate(clauses_[clause], scope_, numbers_);
    if (table.all()) return false;
    if (table.variables.empty()) {
      result_.empty = true;  // a false rule that mentions no parameters
      return false;
    }
    auto& tables = result_.tables;
    const auto same = std::find_if(tables.begin(), tables.end(),
                                   [&](const Table& other) { return other.variables == table.variables; });
    const auto number = static_cast<std::size_t>(same - tables.begin());
    if (same != tables.end()) {
      intersect(*same, table);
    } else {
      tables.push_back(std::move(table));
      result_.table_clauses.emplace_back();
    }
    result_.table_clauses[number].push_back(clause);
    const bool narrowed = narrow(number);
    if (result_.empty || tables[number].variables.size() > 1) return narrowed;
    tables.pop_back();  // one variable: its values are enough
    result_.table_clauses.pop_back();
    return narrowed;
  }

  // Narrows the variables of a table to its supported values. Returns whether any was narrowed.
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

  // Repeats until every table supports every value of every variable.
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
        result_.table_clauses[to] = std::move(result_.table_clauses[i]);
      }
      ++to;
    }
    result_.tables.resize(to);
    result_.table_clauses.resize(to);
  }

  RuleScope& scope_;
  NameNumbers& numbers_;
  const std::vector<Clause>& clauses_;
  std::vector<std::size_t> waiting_;  // positions of clauses that are no tables
  FilterResult result_;
};

}  // namespace

FilterResult filter(RuleScope& scope, NameNumbers& numbers, const std::vector<Clause>& clauses,
                    const std::vector<bool>& left_out) {
  return Filter(scope, numbers, clauses).run(left_out);
}

}  // namespace attune::space
