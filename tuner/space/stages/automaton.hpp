// Automaton: which continuations a rule allows after its first variables are bound. Several rules over the same
// parameters may share an automaton. An automaton is minimal: states of one step with the same continuations are one
// state. A plain value.
#pragma once

#include <cstdint>
#include <vector>

namespace attune::space {

// State numbers. The first two states exist at every step; a step's own states are numbered from first_state.
constexpr std::uint32_t false_state = 0;  // nothing can satisfy the rule any more
constexpr std::uint32_t true_state = 1;   // every continuation satisfies the rule
constexpr std::uint32_t first_state = 2;

struct Automaton {
  std::vector<std::uint32_t> levels;  // of its variables in the order of the component, ascending: one step each
  std::vector<std::uint32_t> widths;  // by variable: the number of its values
  // By step, except the last one: the state after the step, at [(state - first_state) * width + value].
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

// Sets the automaton's masks from `allowed`, which has rows of `width` entries: 1 for each value of the last variable
// that is allowed. Returns each row's state before the last step.
std::vector<std::uint32_t> last_states(const std::vector<std::uint8_t>& allowed, std::size_t width,
                                       Automaton& automaton);
// Returns the state whose continuation is `row`, which has the state after the step for each value. Adds a new row to
// `rows`.
class RowSet;
std::uint32_t state_of_row(const std::uint32_t* row, std::size_t width, RowSet& rows);

}  // namespace attune::space
