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

std::span<const OperationWord> words_of(Dialect dialect, Level first, Level last) {
  std::span<const OperationWord> all = words<Dialect::attune>;
  if (dialect == Dialect::python) all = words<Dialect::python>;
  const auto begin = std::ranges::lower_bound(all, first, {}, &OperationWord::level);
  return {begin, std::ranges::upper_bound(begin, all.end(), last, {}, &OperationWord::level)};
}

const OperationWord* find_word(Dialect dialect, Level first, Level last, std::string_view text) {
  for (const OperationWord& word : words_of(dialect, first, last)) {
    if (word.text() == text) return &word;
  }
  return nullptr;
}

std::vector<std::string> function_names(Dialect dialect) {
  std::vector<std::string> names;
  for (const OperationWord& word : words_of(dialect, Level::function, Level::type_function)) {
    names.emplace_back(word.text());
  }
  return names;
}

}  // namespace attune
