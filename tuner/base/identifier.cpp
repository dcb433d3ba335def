#include "base/identifier.hpp"

namespace attune {

bool is_identifier(std::string_view text) noexcept {
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text) {
    if (!is_word(c)) return false;
  }
  return true;
}

bool is_qualified_name(std::string_view text) noexcept {
  for (std::size_t at = text.find("::"); at != std::string_view::npos; at = text.find("::")) {
    if (!is_identifier(text.substr(0, at))) return false;
    text.remove_prefix(at + 2);
  }
  return is_identifier(text);
}

}  // namespace attune
