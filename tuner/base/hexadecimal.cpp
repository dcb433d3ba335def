#include "base/hexadecimal.hpp"

namespace attune {
namespace {

constexpr std::string_view digits = "0123456789abcdef";

}  // namespace

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::optional<std::vector<std::byte>> bytes_of_hexadecimal(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const std::size_t high = digits.find(text[i]), low = digits.find(text[i + 1]);
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    bytes.push_back(static_cast<std::byte>(16 * high + low));
  }
  return bytes;
}

}  // namespace attune
