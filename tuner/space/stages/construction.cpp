#include "space/stages/construction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "space/stages/clauses.hpp"
#include "space/stages/filter.hpp"
#include "space/stages/order.hpp"
#include "space/stages/wide.hpp"
#include "space/stages/wide_estimate.hpp"

namespace attune::space {
namespace {

// For each group that outgrows the budget: the clauses to leave out, the worst first.
using Blame = std::vector<std::vector<std::size_t>>;

// One attempt with some clauses left out.
class Construction {
  // The memory that a finished part keeps: its layers, and the diagram's arrays while it is counted.
  static constexpr std::size_t bytes_per_arc = 32;

 public:
  Construction(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
               const DeviceInfo* device, const SpaceBudget& budget)
      : parameters_(parameters),
        scope_(scope_of(parameters, rules, problem, device)),
        clauses_(clauses_of(scope_)),
        use_(budget) {}

  const std::vector<Clause>& clauses() const { return clauses_; }

  // Returns the diagram. Discard it if the call has added to `blame`.
  ConstructedSpace run(const std::vector<bool>& left_out, Blame& blame) {
    filtered_ = filter(scope_, numbers_, clauses_, left_out);
    if (!filtered_.empty) group();
    for (const auto& group : groups_) {
      const BudgetUse before = use_;
      try {
        build(group);
      } catch (const OverBudget&) {
        blame.push_back(clauses_of_group(group));
        use_.take_back(before);
      }
    }
    if (!filtered_.empty && blame.empty()) {
      std::sort(parts_.begin(), parts_.end(),
                [](const auto& a, const auto& b) { return first_parameter(a) < first_parameter(b); });
      result_.diagram = Diagram(parts_, fixed(), parameters_);
    }
    add_figures();
    return std::move(result_);
  }

 private:
  // Parameters that a chain of rules connects.
  struct Group {
    std::vector<int> variables;  // ascending
    std::vector<std::size_t> tables, wide;
  };

  static std::uint32_t first_parameter(const UncountedPart& part) {
    return *std::min_element(part.parameters.begin(), part.parameters.end());
  }

  std::size_t width(int variable) const { return scope_.variables[static_cast<std::size_t>(variable)].width(); }

  // Returns the variables of several values. Wide clauses use no others.
  std::vector<int> open_variables(const Clause& clause) const {
    std::vector<int> open;
    for (const int variable : clause.variables) {
      if (width(variable) > 1) open.push_back(variable);
    }
    return open;
  }

  void group() {
    std::vector<int> leader(scope_.variables.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](int variable) {
      while (leader[static_cast<std::size_t>(variable)] != variable)
        variable = leader[static_cast<std::size_t>(variable)] =
            leader[static_cast<std::size_t>(leader[static_cast<std::size_t>(variable)])];
      return variable;
    };
    const auto tie = [&](const std::vector<int>& variables) {
      for (const int variable : variables) leader[static_cast<std::size_t>(find(variable))] = find(variables[0]);
    };
    for (const Table& table : filtered_.tables) tie(table.variables);
    for (const std::size_t clause : filtered_.wide) tie(open_variables(clauses_[clause]));
    std::map<int, Group> by_leader;
    for (int v = 0; v < static_cast<int>(scope_.variables.size()); ++v) {
      if (width(v) > 1) by_leader[find(v)].variables.push_back(v);
    }
    for (std::size_t i = 0; i < filtered_.tables.size(); ++i)
      by_leader[find(filtered_.tables[i].variables[0])].tables.push_back(i);
    for (const std::size_t clause : filtered_.wide)
      by_leader[find(open_variables(clauses_[clause])[0])].wide.push_back(clause);
    for (auto& [first, group] : by_leader) groups_.push_back(std::move(group));
  }

  void build(const Group& group) {
    if (filtered_.empty) return;
    const std::vector<int> order = order_of(group);
    std::vector<std::uint32_t> level_of(scope_.variables.size()), widths;
    for (std::size_t level = 0; level < order.size(); ++level) {
      level_of[static_cast<std::size_t>(order[level])] = static_cast<std::uint32_t>(level);
      widths.push_back(static_cast<std::uint32_t>(width(order[level])));
    }
    Layers layers = layers_of(group, order, level_of, widths);
    reduce(layers);
    if (layers.empty()) {
      filtered_.empty = true;
      return;
    }
    std::size_t arcs = 0;
    for (const Layer& layer : layers) arcs += layer.children.size();
    use_.keep(arcs * bytes_per_arc);
    // A group without rules has nothing to leave out.
    if (!group.tables.empty() || !group.wide.empty()) use_.level(0, 0);
    add_part(std::move(layers), order);
  }

  std::vector<int> order_of(const Group& group) {
    std::vector<std::size_t> widths;
    for (const int variable : group.variables) widths.push_back(width(variable));
    if (widths.size() > most_ordered) return group.variables;
    const std::vector<Tie> ties = ties_of(group);
    std::vector<std::uint32_t> positions;
    if (group.wide.empty()) {
      positions = choose_order(widths, ties);
    } else {
      std::vector<const Clause*> wide;
      for (const std::size_t clause : group.wide) wide.push_back(&clauses_[clause]);
      WideEstimate estimate(wide, group.variables, ties, scope_, numbers_);
      positions = choose_order(widths, [&](VariableSet bound) { return estimate.states(bound); });
    }
    std::vector<int> order;
    for (const std::uint32_t position : positions) order.push_back(group.variables[position]);
    return order;
  }

  std::vector<Tie> ties_of(const Group& group) const {
    std::vector<Tie> ties;
    for (const std::size_t number : group.tables) {
      const Table& table = filtered_.tables[number];
      Tie tie;
      for (const int variable : table.variables) {
        const auto at = std::lower_bound(group.variables.begin(), group.variables.end(), variable);
        tie.members |= VariableSet{1} << (at - group.variables.begin());
      }
      const auto allowed = std::count(table.allowed.begin(), table.allowed.end(), std::uint8_t{1});
      tie.density = static_cast<double>(allowed) / static_cast<double>(table.allowed.size());
      ties.push_back(tie);
    }
    return ties;
  }

  Layers layers_of(const Group& group, const std::vector<int>& order, const std::vector<std::uint32_t>& level_of,
                   const std::vector<std::uint32_t>& widths) {
    if (group.tables.empty() && group.wide.empty()) {
      return {{widths[0], std::vector<std::uint32_t>(widths[0], 0)}};
    }
    std::vector<Automaton> automata;
    std::vector<bool> used(group.tables.size());
    for (const auto& wides : nested(group.wide)) build_wide_of(wides, group, order, level_of, used, automata);
    build_tables(group, level_of, used, automata);
    std::size_t bytes = 0;
    for (const auto& automaton : automata) {
      if (automaton.start == false_state) return {{widths[0], std::vector<std::uint32_t>(widths[0], no_node)}};
      bytes += automaton.bytes();
    }
    use_.keep(bytes);
    return join(automata, widths, use_);
  }

  // Groups wide clauses: the first of each group mentions all variables of the others.
  std::vector<std::vector<std::size_t>> nested(std::vector<std::size_t> wide) const {
    std::stable_sort(wide.begin(), wide.end(), [&](auto a, auto b) {
      return open_variables(clauses_[a]).size() > open_variables(clauses_[b]).size();
    });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t clause : wide) {
      const auto own = open_variables(clauses_[clause]);
      const auto holder = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
        const auto all = open_variables(clauses_[group[0]]);
        return std::includes(all.begin(), all.end(), own.begin(), own.end());
      });
      if (holder == groups.end()) {
        groups.push_back({clause});
      } else {
        holder->push_back(clause);
      }
    }
    return groups;
  }

  void build_wide_of(const std::vector<std::size_t>& wides, const Group& group, const std::vector<int>& order,
                     const std::vector<std::uint32_t>& level_of, std::vector<bool>& used,
                     std::vector<Automaton>& automata) {
    const auto open = open_variables(clauses_[wides[0]]);
    std::vector<std::uint32_t> levels;
    for (const int variable : open) levels.push_back(level_of[static_cast<std::size_t>(variable)]);
    std::sort(levels.begin(), levels.end());
    std::vector<int> variables;
    for (const std::uint32_t level : levels) variables.push_back(order[level]);
    std::vector<Table> guards;
    for (std::size_t i = 0; i < group.tables.size(); ++i) {
      const Table& table = filtered_.tables[group.tables[i]];
      if (used[i] || !std::includes(open.begin(), open.end(), table.variables.begin(), table.variables.end())) continue;
      used[i] = true;
      guards.push_back(table);
    }
    std::vector<Automaton> guarding;
    for (const Table& table : merged(std::move(guards))) guarding.push_back(automaton_of(table, level_of));
    std::vector<const Clause*> together;
    for (const std::size_t clause : wides) together.push_back(&clauses_[clause]);
    automata.push_back(build_wide(together, guarding, levels, variables, scope_, numbers_, use_));
  }

  // Joins each table into another table that has all its variables.
  static std::vector<Table> merged(std::vector<Table> tables) {
    std::stable_sort(tables.begin(), tables.end(),
                     [](const Table& a, const Table& b) { return a.allowed.size() > b.allowed.size(); });
    std::vector<Table> kept;
    for (Table& table : tables) {
      const auto& own = table.variables;
      Table* holder = nullptr;
      for (Table& other : kept) {
        if (std::includes(other.variables.begin(), other.variables.end(), own.begin(), own.end())) holder = &other;
      }
      if (holder != nullptr) {
        intersect(*holder, table);
      } else {
        kept.push_back(std::move(table));
      }
    }
    return kept;
  }

  void build_tables(const Group& group, const std::vector<std::uint32_t>& level_of, const std::vector<bool>& used,
                    std::vector<Automaton>& automata) {
    std::vector<Table> tables;
    for (std::size_t i = 0; i < group.tables.size(); ++i) {
      if (!used[i]) tables.push_back(std::move(filtered_.tables[group.tables[i]]));
    }
    for (const Table& table : merged(std::move(tables))) automata.push_back(automaton_of(table, level_of));
  }

  // Orders the clauses by size, largest first: wide ones, then clauses of the largest tables.
  std::vector<std::size_t> clauses_of_group(const Group& group) const {
    std::vector<std::size_t> all = group.wide;
    std::vector<std::pair<std::size_t, std::size_t>> by_size;
    for (const std::size_t table : group.tables) {
      for (const std::size_t clause : filtered_.table_clauses[table])
        by_size.emplace_back(combinations(scope_, clauses_[clause].variables), clause);
    }
    std::stable_sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [size, clause] : by_size) all.push_back(clause);
    return all;
  }

  void add_part(Layers layers, const std::vector<int>& order) {
    UncountedPart part{std::move(layers), {}, {}};
    for (const int number : order) {
      const Variable& variable = scope_.variables[static_cast<std::size_t>(number)];
      part.parameters.push_back(variable.parameter);
      part.positions.push_back(variable.positions);
    }
    parts_.push_back(std::move(part));
  }

  std::vector<FixedParameter> fixed() const {
    std::vector<FixedParameter> all;
    for (std::uint32_t i = 0; i < parameters_.size(); ++i) {
      if (parameters_[i].values.size() == 1) all.push_back({i, 0});
    }
    for (const Variable& variable : scope_.variables) {
      if (variable.width() == 1) all.push_back({variable.parameter, variable.positions[0]});
    }
    std::sort(all.begin(), all.end(),
              [](const FixedParameter& a, const FixedParameter& b) { return a.parameter < b.parameter; });
    return all;
  }

  void add_figures() {
    result_.figures = {result_.diagram.parts().size(),
                       result_.diagram.nodes(),
                       result_.diagram.bytes(),
                       use_.widest(),
                       use_.peak_bytes(),
                       use_.steps_used()};
  }

  const std::vector<Parameter>& parameters_;
  RuleScope scope_;
  std::vector<Clause> clauses_;
  NameNumbers numbers_;
  BudgetUse use_;
  FilterResult filtered_;
  std::vector<Group> groups_;
  std::vector<UncountedPart> parts_;
  ConstructedSpace result_;
};

[[noreturn]] void too_large(const Rule& rule, std::size_t number, const SpaceBudget& budget) {
  throw SpaceTooLarge(
      fmt::format(
          "the search space is too large to be counted: what restriction `{}` leaves open has no small description "
          "(budget: {} nodes, {} MiB, {} steps); narrow the parameters that it mentions, split or simplify it, or "
          "construct the space with SearchSpace::relaxed, which checks it one configuration at a time",
          rule.expression.text(), budget.nodes, budget.bytes >> 20, budget.steps),
      {number});
}

}  // namespace

ConstructedSpace construct(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules,
                           const Bindings& problem, const DeviceInfo* device, const SpaceBudget& budget, bool relax) {
  std::vector<bool> left_out;
  std::vector<std::size_t> left_out_rules;
  // The number of clauses doubles each round: rounds are few, however many rules there are.
  for (std::size_t at_once = 1;; at_once *= 2) {
    Construction construction(parameters, rules, problem, device, budget);
    left_out.resize(construction.clauses().size());
    Blame blame;
    ConstructedSpace constructed = construction.run(left_out, blame);
    if (blame.empty()) {
      std::sort(left_out_rules.begin(), left_out_rules.end());
      left_out_rules.erase(std::unique(left_out_rules.begin(), left_out_rules.end()), left_out_rules.end());
      constructed.left_out = std::move(left_out_rules);
      return constructed;
    }
    for (const auto& clauses : blame) {
      for (std::size_t i = 0; i < std::min(at_once, clauses.size()); ++i) {
        const std::size_t rule = construction.clauses()[clauses[i]].rule;
        if (!relax) too_large(rules[rule], rule, budget);
        left_out[clauses[i]] = true;
        left_out_rules.push_back(rule);
      }
    }
  }
}

}  // namespace attune::space
