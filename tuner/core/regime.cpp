#include "core/regime.hpp"

#include "base/enum_texts.hpp"

namespace attune {
namespace {

constexpr EnumTexts<Regime> regime_texts("cold", "warm", "stream");

}  // namespace

std::string_view to_text(Regime regime) { return regime_texts[regime]; }

std::optional<Regime> regime_of(std::string_view text) { return regime_texts.find(text); }

}  // namespace attune
