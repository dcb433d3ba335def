// Bytes as hexadecimal text, two lower-case digits each. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

std::string hexadecimal(std::span<const std::byte> bytes);
// Returns the bytes that such a text stands for, or nothing for any other text.
std::optional<std::vector<std::byte>> bytes_of_hexadecimal(std::string_view text);

}  // namespace attune
