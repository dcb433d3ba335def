// Joins several automata over one order of variables into a diagram. A node has the states of all automata under way.
// If an automaton waits for one last variable only, the node has the values that it leaves to that variable instead.
// These values are one set per variable, since it does not matter which rule removed which value.
#include <bit>
#include <unordered_map>

#include "space/stages/layers.hpp"
#include "space/stages/row_set.hpp"

namespace attune::space {
namespace {

// The sets of values that can be left to one variable, numbered. 0 is the full set.
class ValueSets {
 public:
  explicit ValueSets(std::size_t width) : words_(mask_words_for(width)), sets_(words_) {
    std::vector<std::uint32_t> every(words_, ~std::uint32_t{0});
    if (width % 32 != 0) every.back() = (std::uint32_t{1} << (width % 32)) - 1;
    sets_.number_of(every.data());
  }

  static constexpr std::uint32_t all = 0, empty = ~std::uint32_t{0};
  std::uint32_t number_of(const std::uint32_t* bits) { return sets_.number_of(bits); }
  const std::uint32_t* bits(std::uint32_t set) const { return sets_.row(set); }
  std::size_t words() const { return words_; }

  std::uint32_t intersection(std::uint32_t a, std::uint32_t b) {
    if (a == all || a == b) return b;
    if (b == all) return a;
    const std::uint64_t key = (std::uint64_t{a} << 32) | b;
    // The cache is direct-mapped: after a collision an intersection is computed once more. It is allocated when first
    // needed, because most sets never meet.
    if (known_.empty()) known_.resize(std::size_t{1} << known_bits);
    SetPair& known = known_[(key * 0x9e3779b97f4a7c15) >> (64 - known_bits)];
    if (known.key != key) known = {key, intersect(a, b)};
    return known.set;
  }

 private:
  static constexpr int known_bits = 9;
  struct SetPair {
    std::uint64_t key = ~std::uint64_t{0};
    std::uint32_t set = 0;
  };

  std::uint32_t intersect(std::uint32_t a, std::uint32_t b) {
    scratch_.resize(words_);
    std::uint32_t any = 0;
    for (std::size_t i = 0; i < words_; ++i) any |= scratch_[i] = sets_.row(a)[i] & sets_.row(b)[i];
    return any == 0 ? empty : sets_.number_of(scratch_.data());
  }

  std::size_t words_;
  RowSet sets_;
  std::vector<std::uint32_t> scratch_;
  std::vector<SetPair> known_;
};

constexpr std::uint32_t no_slot = ~std::uint32_t{0};

// The step of one automaton at a level.
struct Move {
  const Automaton* automaton;
  std::size_t step;
  std::uint32_t from;        // slot of its state; no_slot before its first step
  std::uint32_t to;          // slot of its next state, or of the set of the variable that it then waits for
  std::uint32_t waits_for;   // the level of that variable, or no_slot
  const std::uint32_t* row;  // while a node is expanded: next states by value
};

struct SlotCopy {
  std::uint32_t from, to;
};

struct JoinLevel {
  std::vector<Move> moves;
  std::vector<SlotCopy> copies;
  std::uint32_t own_set = no_slot;     // slot of the set of values left to this level's variable
  std::size_t slots = 0;               // of a node of this level
  std::vector<std::uint32_t> initial;  // of a node of the next level: before moves and copies
};

class Join {
 public:
  Join(const std::vector<Automaton>& automata, const std::vector<std::uint32_t>& widths, BudgetUse& use)
      : automata_(automata), widths_(widths), use_(use), levels_(widths.size() + 1) {
    for (const std::uint32_t width : widths) sets_.emplace_back(width);
    for (const auto& automaton : automata) {
      auto& known = last_sets_.emplace_back();
      const std::size_t count = automaton.states(automaton.steps() - 1);
      for (std::size_t i = 0; i < count; ++i)
        known.push_back(sets_[automaton.levels.back()].number_of(automaton.masks.data() + i * automaton.mask_words));
    }
    plan();
  }

  Layers run() {
    Layers layers;
    RowSet nodes(levels_[0].slots);
    const std::uint32_t nothing = 0;
    nodes.number_of(&nothing);
    std::size_t bytes = 0;
    for (std::size_t level = 0; level < widths_.size(); ++level) {
      RowSet next(levels_[level + 1].slots);
      layers.push_back(expand(level, nodes, next));
      bytes += layers.back().children.capacity() * sizeof(std::uint32_t);
      use_.level(next.size(), bytes + nodes.bytes() + next.bytes());
      nodes = std::move(next);
    }
    return layers;
  }

 private:
  // Gives every state and set that is alive before a level its slot there.
  void plan() {
    const std::size_t count = widths_.size();
    std::vector<std::uint32_t> first_wait(count, no_slot);  // by level: the level from which on its set may lack values
    for (const auto& automaton : automata_) {
      const std::uint32_t waits = automaton.levels.size() == 1 ? 0 : automaton.levels[automaton.levels.size() - 2] + 1;
      auto& first = first_wait[automaton.levels.back()];
      first = std::min(first, waits);
    }
    std::vector<std::vector<std::uint32_t>> set_slot(count + 1, std::vector<std::uint32_t>(count, no_slot));
    std::vector<std::vector<std::uint32_t>> state_slot(count + 1,
                                                       std::vector<std::uint32_t>(automata_.size(), no_slot));
    for (std::size_t level = 0; level <= count; ++level) {
      std::uint32_t slots = 0;
      for (std::size_t later = level; later < count; ++later) {
        if (first_wait[later] <= level && level > 0) set_slot[level][later] = slots++;
      }
      for (std::size_t a = 0; a < automata_.size(); ++a) {
        const auto& own = automata_[a].levels;
        const bool under_way = own.size() > 2 && own.front() < level && level <= own[own.size() - 2];
        if (under_way) state_slot[level][a] = slots++;
      }
      levels_[level].slots = slots;
    }
    for (std::size_t level = 0; level < count; ++level) plan_level(level, set_slot, state_slot);
  }

  using SlotTable = std::vector<std::vector<std::uint32_t>>;
  void plan_level(std::size_t level, const SlotTable& set_slot, const SlotTable& state_slot) {
    JoinLevel& plan = levels_[level];
    plan.own_set = set_slot[level][level];
    plan.initial.assign(levels_[level + 1].slots, ValueSets::all);
    for (std::size_t later = level + 1; later < widths_.size(); ++later) {
      if (set_slot[level][later] != no_slot)
        plan.copies.push_back({set_slot[level][later], set_slot[level + 1][later]});
    }
    for (std::size_t a = 0; a < automata_.size(); ++a) {
      const Automaton& automaton = automata_[a];
      for (std::size_t step = 0; step + 1 < automaton.steps(); ++step) {
        if (automaton.levels[step] != level) continue;
        const bool waits = step + 2 == automaton.steps();
        const std::uint32_t last = automaton.levels.back();
        plan.moves.push_back({&automaton, step, state_slot[level][a],
                              waits ? set_slot[level + 1][last] : state_slot[level + 1][a], waits ? last : no_slot,
                              nullptr});
      }
      const bool stays = state_slot[level][a] != no_slot && state_slot[level + 1][a] != no_slot &&
                         std::find(automaton.levels.begin(), automaton.levels.end(), level) == automaton.levels.end();
      if (stays) plan.copies.push_back({state_slot[level][a], state_slot[level + 1][a]});
    }
  }

  Layer expand(std::size_t level, const RowSet& nodes, RowSet& next) {
    JoinLevel& plan = levels_[level];
    Layer layer{widths_[level], std::vector<std::uint32_t>(nodes.size() * widths_[level], no_node)};
    use_.steps(layer.children.size() * (1 + plan.initial.size() / 8));
    std::vector<std::uint32_t> kept(plan.initial.size()), row(plan.initial.size());
    std::vector<Move*> moving;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const std::uint32_t* const slots = nodes.row(node);
      kept = plan.initial;
      for (const auto& [from, to] : plan.copies) kept[to] = slots[from];
      moving.clear();
      for (Move& move : plan.moves) {
        const std::uint32_t state = move.from == no_slot ? move.automaton->start : slots[move.from];
        if (state == true_state) {
          if (move.waits_for == no_slot) kept[move.to] = true_state;
          continue;
        }
        move.row = move.automaton->next[move.step].data() + std::size_t{state - first_state} * layer.width;
        moving.push_back(&move);
      }
      const std::uint32_t* const own =
          sets_[level].bits(plan.own_set == no_slot ? ValueSets::all : slots[plan.own_set]);
      std::uint32_t* const children = layer.children.data() + node * layer.width;
      for (std::size_t word = 0; word < sets_[level].words(); ++word) {
        for (std::uint32_t bits = own[word]; bits != 0; bits &= bits - 1) {
          const auto value = static_cast<std::uint32_t>(32 * word) + static_cast<std::uint32_t>(std::countr_zero(bits));
          row = kept;
          if (move_all(moving, value, row)) children[value] = next.number_of(row.data());
        }
      }
      if (next.size() > too_many_) use_.level(next.size(), next.bytes());
    }
    return layer;
  }

  bool move_all(const std::vector<Move*>& moving, std::uint32_t value, std::vector<std::uint32_t>& row) {
    for (const Move* const move : moving) {
      const std::uint32_t state = move->row[value];
      if (state == false_state) return false;
      if (move->waits_for == no_slot) {
        row[move->to] = state;
      } else if (state != true_state) {
        const auto a = static_cast<std::size_t>(move->automaton - automata_.data());
        const std::uint32_t set = last_sets_[a][state - first_state];
        row[move->to] = sets_[move->waits_for].intersection(row[move->to], set);
        if (row[move->to] == ValueSets::empty) return false;
      }
    }
    return true;
  }

  static constexpr std::size_t too_many_ = 65536;  // from this many nodes on, the budget is checked for every node
  const std::vector<Automaton>& automata_;
  const std::vector<std::uint32_t>& widths_;
  BudgetUse& use_;
  std::vector<JoinLevel> levels_;
  std::vector<ValueSets> sets_;                        // by level
  std::vector<std::vector<std::uint32_t>> last_sets_;  // by automaton: the set of each of its last states
};

// Returns the diagram of one automaton over every variable: its states are the nodes.
Layers layers_of(const Automaton& automaton, const std::vector<std::uint32_t>& widths) {
  Layers layers(widths.size());
  // Node 0 of every layer but the first is true_state: it allows all that follows.
  const auto node_of = [](std::uint32_t state) {
    return state == false_state ? no_node : state == true_state ? 0 : state - first_state + 1;
  };
  const std::size_t last = widths.size() - 1;
  for (std::size_t step = 0; step <= last; ++step) {
    Layer& layer = layers[step];
    layer.width = widths[step];
    const std::size_t first = step == 0 ? 0 : 1;
    layer.children.assign((automaton.states(step) + first) * layer.width, 0);
    for (std::size_t state = 0; state < automaton.states(step); ++state) {
      for (std::uint32_t value = 0; value < layer.width; ++value) {
        std::uint32_t& child = layer.children[(state + first) * layer.width + value];
        if (step < last) {
          child = node_of(automaton.next[step][state * layer.width + value]);
        } else {
          const std::uint32_t bits = automaton.masks[state * automaton.mask_words + value / 32];
          child = (bits >> (value % 32) & 1) != 0 ? 0 : no_node;
        }
      }
    }
  }
  return layers;
}

}  // namespace

Layers join(const std::vector<Automaton>& automata, const std::vector<std::uint32_t>& widths, BudgetUse& use) {
  const bool is_one = automata.size() == 1 && automata[0].steps() == widths.size() && automata[0].start == first_state;
  if (is_one) return layers_of(automata[0], widths);
  return Join(automata, widths, use).run();
}

}  // namespace attune::space
