#include "space/stages/automaton.hpp"

#include <algorithm>

#include "space/stages/row_set.hpp"

namespace attune::space {

std::vector<std::uint32_t> last_states(const std::vector<std::uint8_t>& allowed, std::size_t width,
                                       Automaton& automaton) {
  std::vector<std::uint32_t> states(allowed.size() / width);
  automaton.mask_words = mask_words_for(width);
  RowSet masks(automaton.mask_words);
  std::vector<std::uint32_t> bits(automaton.mask_words);
  for (std::size_t i = 0; i < states.size(); ++i) {
    std::fill(bits.begin(), bits.end(), 0);
    std::size_t count = 0;
    const std::uint8_t* const row = allowed.data() + i * width;
    for (std::size_t value = 0; value < width; ++value) {
      bits[value / 32] |= std::uint32_t{row[value]} << (value % 32);
      count += row[value];
    }
    states[i] = count == 0 ? false_state : count == width ? true_state : first_state + masks.number_of(bits.data());
  }
  automaton.masks = masks.take();
  return states;
}

std::uint32_t state_of_row(const std::uint32_t* row, std::size_t width, RowSet& rows) {
  const std::uint32_t first = row[0];
  const bool alike = std::all_of(row, row + width, [&](std::uint32_t state) { return state == first; });
  if (alike && first <= true_state) return first;
  return first_state + rows.number_of(row);
}

}  // namespace attune::space
