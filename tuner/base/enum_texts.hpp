// EnumTexts: a text for each value of an enumeration that counts from 0, in the order of the values. A wrong number of
// texts does not compile. Immutable.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace attune {

// Returns how many values the enumeration has. The compiler writes a number that is no value as "(Kind)7": a digit
// follows the parenthesis.
template <typename Enum, Enum value = Enum{}>
consteval int enum_size() {
  constexpr std::string_view function = __PRETTY_FUNCTION__;
  constexpr char first = function[function.find_last_of(":)") + 1];
  if constexpr (first > '9') return 1 + enum_size<Enum, static_cast<Enum>(static_cast<int>(value) + 1)>();
  return 0;
}

template <typename Enum>
struct EnumTexts {
  constexpr explicit EnumTexts(auto... each) requires(sizeof...(each) == enum_size<Enum>()) : texts{each...} {}

  // Returns the text of `value`, or "unknown" for a number that is not a value of the enumeration.
  constexpr std::string_view operator[](Enum value) const noexcept {
    const auto number = static_cast<std::size_t>(value);
    return number < texts.size() ? texts[number] : "unknown";
  }
  constexpr std::optional<Enum> find(std::string_view text) const noexcept {
    for (std::size_t i = 0; i < texts.size(); ++i)
      if (texts[i] == text) return static_cast<Enum>(i);
    return std::nullopt;
  }

  const std::array<std::string_view, enum_size<Enum>()> texts;
};

}  // namespace attune
