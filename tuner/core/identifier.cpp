#include "core/identifier.hpp"

#include <cctype>

namespace attune {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_word(char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

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
