// Regime: the state of the caches when a timed launch begins. Part of a record's key. A kernel launched now and then
// finds cold caches, a loop over the same data warm ones. The best configuration may differ.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace attune {

enum class Regime : std::uint8_t { cold, warm };

std::string_view to_text(Regime regime);
std::optional<Regime> regime_of(std::string_view text);  // "cold", "warm"

}  // namespace attune
