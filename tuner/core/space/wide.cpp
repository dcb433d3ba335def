#include "core/space/wide.hpp"

#include <algorithm>

#include "core/space/row_set.hpp"
#include "core/space/term_program.hpp"
#include "core/space/thresholds.hpp"
#include "core/space/wide_terms.hpp"

namespace attune::space {
namespace {

// The nodes of one step, before it, and where they lead.
struct Step {
  std::size_t states = 0;
  std::vector<std::uint32_t> children;  // at [state * width + value]: a state of the next step, or no_child
};

constexpr std::uint32_t no_child = ~std::uint32_t{0};

class WideBuilder {
 public:
  WideBuilder(const WideTerms& terms, const std::vector<Automaton>& guards, const std::vector<std::uint32_t>& levels,
              const std::vector<int>& variables, const RuleScope& scope, Meter& meter)
      : terms_(terms), guards_(guards), scope_(scope), meter_(meter) {
    for (const int variable : variables) widths_.push_back(scope.variables[static_cast<std::size_t>(variable)].width());
    thresholds_ = find_thresholds(terms, scope, widths_, meter);
    automaton_.levels = levels;
    automaton_.widths.assign(widths_.begin(), widths_.end());
    // Which step of each guard is taken at each step here.
    for (const Automaton& guard : guards) {
      auto& steps = guard_step_.emplace_back(levels.size(), no_child);
      for (std::size_t i = 0; i < guard.levels.size(); ++i) {
        const auto at = std::lower_bound(levels.begin(), levels.end(), guard.levels[i]);
        steps[static_cast<std::size_t>(at - levels.begin())] = static_cast<std::uint32_t>(i);
      }
    }
  }

  Automaton run() {
    values_ = {};
    guard_states_.clear();
    for (const Automaton& guard : guards_) guard_states_.push_back({guard.start});
    states_ = 1;
    std::size_t bytes = 0;
    for (std::size_t step = 0; step < widths_.size(); ++step) {
      expand(step);
      bytes += steps_.back().children.capacity() * sizeof(std::uint32_t);
      meter_.level(states_, bytes + state_bytes());
    }
    collapse();
    return std::move(automaton_);
  }

 private:
  std::size_t state_bytes() const {
    std::size_t bytes = 0;
    for (const auto& values : values_) bytes += values.capacity() * sizeof(std::int64_t);
    for (const auto& states : guard_states_) bytes += states.capacity() * sizeof(std::uint32_t);
    return bytes;
  }

  // From the states before a step to those behind it.
  void expand(std::size_t step) {
    const std::size_t width = widths_[step];
    meter_.steps(states_ * width);
    // Not even the cells may outgrow the budget.
    meter_.level(states_, states_ * width * sizeof(std::uint32_t));
    const std::vector<TermId> before = step == 0 ? std::vector<TermId>{} : terms_.frontier[step - 1];
    const std::vector<TermId>& behind = terms_.frontier[step];
    std::vector<TermId> given = before, wanted = behind;
    std::vector<TermId> columns;
    for (TermId id = 0; id < terms_.graph.size(); ++id) {
      if (terms_.graph[id].op == TermOp::column && terms_.known[id] == static_cast<int>(step)) columns.push_back(id);
    }
    given.insert(given.end(), columns.begin(), columns.end());
    wanted.insert(wanted.end(), terms_.decided[step].begin(), terms_.decided[step].end());
    const std::size_t at_once = std::max<std::size_t>(1, TermProgram::block / width);
    TermProgram program(terms_.graph, scope_, wanted, given, at_once * width);
    for (const TermId column : columns) {
      if (std::int64_t* const input = program.input(column)) {
        for (std::size_t i = 0; i < at_once; ++i)
          std::copy(terms_.graph.column(column).begin(), terms_.graph.column(column).end(), input + i * width);
      }
    }
    Next next(*this, step);
    Step& now = steps_.emplace_back();
    now.states = states_;
    now.children.resize(states_ * width);
    for (std::size_t first = 0; first < states_; first += at_once) {
      const std::size_t count = std::min(at_once, states_ - first);
      for (std::size_t k = 0; k < before.size(); ++k) {
        std::int64_t* const input = program.input(before[k]);
        if (input == nullptr) continue;
        for (std::size_t i = 0; i < count; ++i) std::fill_n(input + i * width, width, values_[k][first + i]);
      }
      program.run(count * width);
      next.add(program, first, count, now.children.data() + first * width);
      if (next.rows.size() > many_states) meter_.level(next.rows.size(), next.rows.bytes());
    }
    states_ = step + 1 == widths_.size() ? 1 : next.rows.size();
    values_ = std::move(next.values);
    guard_states_ = std::move(next.guard_states);
  }

  // The states behind a step while they are found.
  struct Next {
    Next(const WideBuilder& owner, std::size_t at_step)
        : builder(owner),
          step(at_step),
          width(owner.widths_[at_step]),
          frontier(owner.terms_.frontier[at_step]),
          classes(owner.thresholds_[at_step] ? &*owner.thresholds_[at_step] : nullptr),
          rows((classes != nullptr ? 1 : 2 * frontier.size()) + owner.guards_.size()),
          row(rows.length()),
          values(frontier.size()),
          guard_states(owner.guards_.size()),
          guard_rows(owner.guards_.size()) {}

    void add(TermProgram& program, std::size_t first, std::size_t count, std::uint32_t* children) {
      alive.assign(count * width, 1);
      for (const TermId root : builder.terms_.decided[step]) {
        const std::int64_t* const holds = program.output(root);
        for (std::size_t i = 0; i < alive.size(); ++i) alive[i] &= holds[i];
      }
      outputs.clear();
      for (const TermId id : frontier) outputs.push_back(program.output(id));
      if (classes != nullptr) numbers = classes->classes_of({outputs[0], alive.size()});
      for (std::size_t i = 0; i < count; ++i) {
        set_guards(first + i);
        if (classes != nullptr) {
          if (!guards_rest()) by_class.assign(classes->ascending().size() + 1, no_child);
          all_rest = std::find(resting.begin(), resting.end(), no_child) == resting.end();
        }
        for (std::size_t value = 0; value < width; ++value) {
          const std::size_t at = i * width + value;
          children[at] = alive[at] != 0 && move_guards(value) ? child(at) : no_child;
        }
      }
    }

    void set_guards(std::size_t state) {
      for (std::size_t g = 0; g < builder.guards_.size(); ++g) {
        const std::uint32_t now = builder.guard_states_[g][state], guard_step = builder.guard_step_[g][step];
        const Automaton& guard = builder.guards_[g];
        guard_rows[g] = {now, nullptr, nullptr};
        if (guard_step == no_child || now == true_state) continue;
        const std::size_t number = now - first_state;
        if (guard_step + 1 == guard.steps()) {
          guard_rows[g].mask = guard.masks.data() + number * guard.mask_words;
        } else {
          guard_rows[g].next = guard.next[guard_step].data() + number * width;
        }
      }
    }

    // Are all guards where they were for the state before, and stay there? Then the class alone tells the state.
    bool guards_rest() {
      bool rest = !by_class.empty();
      for (std::size_t g = 0; g < guard_rows.size(); ++g) {
        const bool moves = guard_rows[g].next != nullptr || guard_rows[g].mask != nullptr;
        rest = rest && !moves && resting[g] == guard_rows[g].state;
        resting[g] = moves ? no_child : guard_rows[g].state;
      }
      return rest;
    }

    bool move_guards(std::size_t value) {
      std::uint32_t* const to = row.data() + row.size() - guard_rows.size();
      for (std::size_t g = 0; g < guard_rows.size(); ++g) {
        const GuardRow& guard = guard_rows[g];
        if (guard.mask != nullptr) {
          if ((guard.mask[value / 32] >> (value % 32) & 1) == 0) return false;
          to[g] = true_state;
        } else {
          to[g] = guard.next != nullptr ? guard.next[value] : guard.state;
          if (to[g] == false_state) return false;
        }
      }
      return true;
    }

    std::uint32_t child(std::size_t at) {
      if (step + 1 == builder.widths_.size()) return 0;
      if (classes != nullptr) {
        row[0] = numbers[at];
        if (all_rest && by_class[row[0]] != no_child) return by_class[row[0]];
      } else {
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          const auto word = static_cast<std::uint64_t>(outputs[k][at]);
          row[2 * k] = static_cast<std::uint32_t>(word);
          row[2 * k + 1] = static_cast<std::uint32_t>(word >> 32);
        }
      }
      const std::uint32_t number = rows.number_of(row.data());
      if (!values.empty() ? number == values[0].size() : number == seen) {
        for (std::size_t k = 0; k < outputs.size(); ++k) values[k].push_back(outputs[k][at]);
        for (std::size_t g = 0; g < guard_states.size(); ++g)
          guard_states[g].push_back(row[row.size() - guard_states.size() + g]);
        ++seen;
      }
      if (all_rest) by_class[row[0]] = number;
      return number;
    }

    struct GuardRow {
      std::uint32_t state;
      const std::uint32_t* next;
      const std::uint32_t* mask;
    };

    const WideBuilder& builder;
    std::size_t step, width;
    const std::vector<TermId>& frontier;
    const Thresholds* classes;
    RowSet rows;
    std::vector<std::uint32_t> row;
    std::vector<std::vector<std::int64_t>> values;         // by frontier term, by state: of the first that was met
    std::vector<std::vector<std::uint32_t>> guard_states;  // by guard, by state
    std::vector<GuardRow> guard_rows;
    std::vector<std::int64_t> alive;
    std::vector<const std::int64_t*> outputs;
    std::vector<std::uint32_t> numbers;
    std::size_t seen = 0;
    // By class: the state, where that is all that the state depends on.
    std::vector<std::uint32_t> by_class, resting = std::vector<std::uint32_t>(guard_states.size(), no_child);
    bool all_rest = false;
  };

  // From the last step to the first: equal states become one.
  void collapse() {
    const std::size_t last = widths_.size() - 1;
    automaton_.mask_words = mask_words_for(widths_[last]);
    automaton_.next.resize(last);
    std::vector<std::uint32_t> states(steps_[last].states);
    RowSet masks(automaton_.mask_words);
    std::vector<std::uint32_t> bits(automaton_.mask_words);
    for (std::size_t state = 0; state < states.size(); ++state) {
      std::fill(bits.begin(), bits.end(), 0);
      std::size_t count = 0;
      for (std::size_t value = 0; value < widths_[last]; ++value) {
        const std::uint32_t allowed = steps_[last].children[state * widths_[last] + value] != no_child ? 1 : 0;
        bits[value / 32] |= allowed << (value % 32);
        count += allowed;
      }
      states[state] = count == 0               ? false_state
                      : count == widths_[last] ? true_state
                                               : first_state + masks.number_of(bits.data());
    }
    automaton_.masks = masks.take();
    for (std::size_t step = last; step-- > 0;) {
      RowSet rows(widths_[step]);
      Step& now = steps_[step];
      for (std::uint32_t& child : now.children) child = child == no_child ? false_state : states[child];
      std::vector<std::uint32_t> before(now.states);
      for (std::size_t state = 0; state < before.size(); ++state)
        before[state] = state_of_row(now.children.data() + state * widths_[step], widths_[step], rows);
      automaton_.next[step] = rows.take();
      now.children = {};
      states = std::move(before);
    }
    automaton_.start = states.front();
  }

  static constexpr std::size_t many_states = 65536;  // from here on the budget is looked at more often
  const WideTerms& terms_;
  const std::vector<Automaton>& guards_;
  const RuleScope& scope_;
  Meter& meter_;
  std::vector<std::size_t> widths_;
  std::vector<std::optional<Thresholds>> thresholds_;   // by step: of the states behind it
  std::vector<std::vector<std::uint32_t>> guard_step_;  // by guard, by step: its own step, or no_child
  std::vector<Step> steps_;
  std::size_t states_ = 1;
  std::vector<std::vector<std::int64_t>> values_;  // of the frontier before the step, by state
  std::vector<std::vector<std::uint32_t>> guard_states_;
  Automaton automaton_;
};

}  // namespace

Automaton build_wide(const std::vector<const Clause*>& clauses, const std::vector<Automaton>& guards,
                     const std::vector<std::uint32_t>& levels, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers, Meter& meter) {
  const WideTerms terms = wide_terms(clauses, variables, scope, numbers);
  const bool never = terms.never || std::any_of(guards.begin(), guards.end(),
                                                [](const auto& guard) { return guard.start == false_state; });
  if (!never) return WideBuilder(terms, guards, levels, variables, scope, meter).run();
  Automaton nothing;
  nothing.start = false_state;
  return nothing;
}

}  // namespace attune::space
