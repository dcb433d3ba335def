#include "core/origin.hpp"

#include "base/enum_texts.hpp"

namespace attune {

std::string_view to_text(Origin origin) noexcept {
  static constexpr EnumTexts<Origin> texts("measured", "imported", "adopted", "pinned");
  return texts[origin];
}

}  // namespace attune
