#include "space/stages/wide.hpp"

#include <algorithm>

#include "space/stages/wide_states.hpp"

namespace attune::space {
namespace {

// The states after a step, at [state * width + value].
using Children = std::vector<std::uint32_t>;

// With fewer combinations, expanding the hopeless ones is faster than finding them.
constexpr std::size_t worth_asking = 1024;

class WideBuilder {
 public:
  WideBuilder(const WideTerms& terms, const std::vector<Automaton>& guards, const std::vector<std::uint32_t>& levels,
              const std::vector<int>& variables, const RuleScope& scope, BudgetUse& use)
      : terms_(terms), guards_(guards), scope_(scope), use_(use), hopes_(find_hopes(terms)) {
    for (const int variable : variables) widths_.push_back(scope.variables[static_cast<std::size_t>(variable)].width());
    thresholds_ = find_thresholds(terms, scope, widths_, use);
    automaton_.levels = levels;
    automaton_.widths.assign(widths_.begin(), widths_.end());
  }

  Automaton run() {
    for (const Automaton& guard : guards_) states_.guards.push_back({guard.start});
    std::size_t bytes = 0;
    for (std::size_t step = 0; step < widths_.size(); ++step) {
      expand(step, bytes);
      bytes += children_.back().capacity() * sizeof(std::uint32_t);
    }
    collapse();
    return std::move(automaton_);
  }

 private:
  // Makes the states after a step from those before it.
  void expand(std::size_t step, std::size_t bytes) {
    const std::size_t width = widths_[step], count = states_.count;
    use_.steps(count * width);
    bytes += count * width * sizeof(std::uint32_t) + states_.bytes();
    use_.level(count, bytes);
    const std::vector<TermId> before = step == 0 ? std::vector<TermId>{} : terms_.frontier[step - 1];
    std::vector<TermId> given = before, wanted = terms_.frontier[step];
    const std::vector<TermId> columns = columns_of(step);
    given.insert(given.end(), columns.begin(), columns.end());
    wanted.insert(wanted.end(), terms_.decided[step].begin(), terms_.decided[step].end());
    const std::size_t at_once = std::min(count, std::max<std::size_t>(1, TermProgram::block / width));
    TermProgram program(terms_.graph, scope_, wanted, given, at_once * width);
    for (const TermId column : columns) repeat(terms_.graph.column(column), at_once, program.input(column));
    const Thresholds* const thresholds = thresholds_[step] ? &*thresholds_[step] : nullptr;
    WideStates behind(terms_, step, width, step + 1 == widths_.size(), guards_at(step), thresholds, states_,
                      guards_.size());
    std::optional<HopesOfStep> hopes;
    if (thresholds == nullptr && !hopes_.empty() && count * width >= worth_asking && step + 1 < widths_.size())
      hopes.emplace(hopes_, terms_, scope_, step, at_once * width);
    Children& children = children_.emplace_back(count * width);
    for (std::size_t first = 0; first < count; first += at_once) {
      const std::size_t now = std::min(at_once, count - first);
      for (std::size_t k = 0; k < before.size(); ++k) {
        std::int64_t* const input = program.input(before[k]);
        for (std::size_t i = 0; i < now && input != nullptr; ++i)
          std::fill_n(input + i * width, width, states_.known[k][first + i]);
      }
      program.run(now * width);
      behind.add(program, hopes ? &*hopes : nullptr, first, now, children.data() + first * width);
      use_.level(behind.size(), bytes + behind.bytes());
    }
    states_ = behind.take();
  }

  static void repeat(const std::vector<std::int64_t>& column, std::size_t times, std::int64_t* to) {
    for (std::size_t i = 0; i < times && to != nullptr; ++i)
      std::copy(column.begin(), column.end(), to + i * column.size());
  }

  std::vector<TermId> columns_of(std::size_t step) const {
    std::vector<TermId> columns;
    for (TermId id = 0; id < terms_.graph.size(); ++id) {
      if (terms_.graph[id].op == TermOp::column && terms_.known[id] == static_cast<int>(step)) columns.push_back(id);
    }
    return columns;
  }

  std::vector<GuardStep> guards_at(std::size_t step) const {
    const std::uint32_t level = automaton_.levels[step];
    std::vector<GuardStep> under_way;
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      const auto& own = guards_[g].levels;
      if (own.back() < level) continue;
      const auto at = std::lower_bound(own.begin(), own.end(), level);
      under_way.push_back(
          {&guards_[g], g, static_cast<std::size_t>(at - own.begin()), *at == level, own.back() > level});
    }
    return under_way;
  }

  // Merges equal states, from the last step to the first.
  void collapse() {
    const std::size_t last = widths_.size() - 1;
    automaton_.next.resize(last);
    std::vector<std::uint32_t> states = collapse_last(children_[last], widths_[last]);
    for (std::size_t step = last; step-- > 0;) {
      RowSet rows(widths_[step]);
      Children& children = children_[step];
      for (std::uint32_t& child : children) child = child == no_state ? false_state : states[child];
      std::vector<std::uint32_t> before(children.size() / widths_[step]);
      for (std::size_t state = 0; state < before.size(); ++state)
        before[state] = state_of_row(children.data() + state * widths_[step], widths_[step], rows);
      automaton_.next[step] = rows.take();
      children = {};
      states = std::move(before);
    }
    automaton_.start = states.front();
  }

  std::vector<std::uint32_t> collapse_last(const Children& children, std::size_t width) {
    std::vector<std::uint8_t> allowed(children.size());
    for (std::size_t i = 0; i < children.size(); ++i) allowed[i] = children[i] != no_state ? 1 : 0;
    return last_states(allowed, width, automaton_);
  }

  const WideTerms& terms_;
  const std::vector<Automaton>& guards_;
  const RuleScope& scope_;
  BudgetUse& use_;
  std::vector<Hope> hopes_;
  std::vector<std::size_t> widths_;
  std::vector<std::optional<Thresholds>> thresholds_;  // by step: of the states after it
  std::vector<Children> children_;                     // by step
  StateValues states_;                                 // before the step at hand
  Automaton automaton_;
};

}  // namespace

Automaton build_wide(const std::vector<const Clause*>& clauses, const std::vector<Automaton>& guards,
                     const std::vector<std::uint32_t>& levels, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers, BudgetUse& use) {
  const WideTerms terms = wide_terms(clauses, variables, scope, numbers);
  const bool never = terms.never || std::any_of(guards.begin(), guards.end(),
                                                [](const auto& guard) { return guard.start == false_state; });
  if (!never) return WideBuilder(terms, guards, levels, variables, scope, use).run();
  Automaton nothing;
  nothing.start = false_state;
  return nothing;
}

}  // namespace attune::space
