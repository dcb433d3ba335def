#include "base/shell_word.hpp"

namespace attune {

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:,+@%";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos) return std::string(text);
  if (text.find_first_of("\"\\$`!") == text.npos) return '"' + std::string(text) + '"';
  std::string word = "'";
  for (const char letter : text) letter == '\'' ? word += "'\\''" : word += letter;
  return word + "'";
}

}  // namespace attune
