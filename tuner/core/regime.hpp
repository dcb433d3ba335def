// Regime: what a time means. It is part of a record's key, because each regime may have another best configuration.
//   cold    one launch alone; the caches hold other data
//   warm    one launch alone, on the same data as the launch before
//   stream  a launch in a row of launches, each on other data that no cache holds: the mean
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace attune {

enum class Regime : std::uint8_t { cold, warm, stream };

inline constexpr std::array regimes = {Regime::cold, Regime::warm, Regime::stream};
inline constexpr std::string_view regime_names = "cold, warm or stream";

std::string_view to_text(Regime regime);
std::optional<Regime> regime_of(std::string_view text);  // "cold", "warm", "stream"

}  // namespace attune
