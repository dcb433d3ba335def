// The words of the operations: how each dialect writes them. They are computed from the table of operations. They are
// small, because every application that links the runtime contains them. Any thread.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/operations.hpp"

namespace attune {

struct OperationWord {
  std::array<char, 8> letters{};  // not a view, which would take 16 bytes and a relocation
  std::uint8_t size = 0;
  NodeKind kind{};
  Level level{};
  Arity arity{};

  constexpr std::string_view text() const { return {letters.data(), size}; }
};

// Returns the words of all levels but Level::own, in the order of the table.
std::span<const OperationWord> words_of(Dialect dialect);
// Finds a word of the levels from `first` to `last`, or returns null.
const OperationWord* find_word(Dialect dialect, Level first, Level last, std::string_view text);
std::vector<std::string> function_names(Dialect dialect);

}  // namespace attune
