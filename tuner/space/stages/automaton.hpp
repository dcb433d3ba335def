// Automaton: which continuations a rule allows after its first variables are bound. Several rules over the same
// parameters may share one. It is minimal: two states of one step with the same continuations are one state. A plain
// value.
#pragma once

#include <cstdint>
#include <vector>

namespace attune::space {

// States of every step: two are common to all steps, the others start at first_state.
constexpr std::uint32_t false_state = 0;  // nothing can satisfy the rule any more
constexpr std::uint32_t true_state = 1;   // everything does
constexpr std::uint32_t first_state = 2;

struct Automaton {
  std::vector<std::uint32_t> levels;  // of its variables in the order of the component, ascending
  std::vector<std::uint32_t> widths;  // numbers of their values
  // By step, the last one excepted: the state after, at [(state - first_state) * width + value].
  std::vector<std::vector<std::uint32_t>> next;
  // The last step: the values that are allowed, as bits, at [(state - first_state) * mask_words].
  std::vector<std::uint32_t> masks;
  std::size_t mask_words = 0;
  std::uint32_t start = true_state;  // before the first step

  std::size_t steps() const { return levels.size(); }
  std::size_t states(std::size_t step) const {
    if (step + 1 < steps()) return next[step].size() / widths[step];
    return mask_words == 0 ? 0 : masks.size() / mask_words;
  }
  std::size_t bytes() const {
    std::size_t words = masks.capacity();
    for (const auto& step : next) words += step.capacity();
    return words * sizeof(std::uint32_t);
  }
};

constexpr std::size_t mask_words_for(std::size_t width) { return (width + 31) / 32; }

// Sets the automaton's masks. Returns the states before the last step, from which combinations are allowed. In
// `allowed` the last variable varies fastest.
std::vector<std::uint32_t> last_states(const std::vector<std::uint8_t>& allowed, std::size_t width,
                                       Automaton& automaton);
// Returns the state with the continuation `row`: one state of the next step by value. New rows are added to `rows`.
class RowSet;
std::uint32_t state_of_row(const std::uint32_t* row, std::size_t width, RowSet& rows);

}  // namespace attune::space
