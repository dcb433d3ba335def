#include "base/near_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace attune {
namespace {

// Longer words are compared by their beginnings, so that the table stays small for any input.
constexpr std::size_t compared_characters = 128;

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Edits (insert, delete, replace, swap two neighbours) from one word to the other; upper and lower case are alike.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  b = b.substr(0, compared_characters);
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& known) {
  word = word.substr(0, compared_characters);
  const std::size_t allowed = std::max<std::size_t>(2, word.size() / 3);
  std::size_t best = allowed + 1;
  const std::string* nearest = nullptr;
  for (const auto& name : known) {
    const std::size_t distance = edit_distance(word, name);
    // Two words without a letter in common are not near, whatever their length.
    if (distance >= std::max(word.size(), name.size())) continue;
    if (distance < best) {
      best = distance;
      nearest = &name;
    }
  }
  if (nearest == nullptr) return std::nullopt;
  return *nearest;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& known) {
  if (known.empty()) return "";
  if (const auto name = nearest_name(word, known)) return "; did you mean `" + *name + "`?";
  return "; known: " + joined(known);
}

}  // namespace attune
