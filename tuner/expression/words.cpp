#include "expression/words.hpp"

namespace attune {
namespace {

constexpr bool is_word_of(const OperationRow& row, Dialect dialect) {
  return row.level != Level::own && !row.written(dialect).empty();
}

template <Dialect dialect>
constexpr auto words = [] {
  constexpr auto count = std::ranges::count_if(operations, [](const auto& row) { return is_word_of(row, dialect); });
  std::array<OperationWord, count> result;
  auto* word = result.data();
  for (const OperationRow& row : operations) {
    if (!is_word_of(row, dialect)) continue;
    const std::string_view text = row.written(dialect);
    *word = {{}, static_cast<std::uint8_t>(text.size()), row.kind, row.level, row.arity};
    std::ranges::copy(text, word->letters.data());  // a longer text does not compile
    ++word;
  }
  return result;
}();

}  // namespace

std::span<const OperationWord> words_of(Dialect dialect) {
  if (dialect == Dialect::python) return words<Dialect::python>;
  return words<Dialect::attune>;
}

const OperationWord* find_word(Dialect dialect, Level first, Level last, std::string_view text) {
  for (const OperationWord& word : words_of(dialect)) {
    if (word.level >= first && word.level <= last && word.text() == text) return &word;
  }
  return nullptr;
}

std::vector<std::string> function_names(Dialect dialect) {
  std::vector<std::string> names;
  for (const OperationWord& word : words_of(dialect)) {
    if (word.level >= Level::function) names.emplace_back(word.text());
  }
  return names;
}

}  // namespace attune
