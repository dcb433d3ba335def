#include "core/choice.hpp"

#include "base/enum_texts.hpp"

namespace attune {

std::string_view to_text(Choice choice) noexcept {
  static constexpr EnumTexts<Choice> texts("fastest", "leaner", "default_stays", "record_stays");
  return texts[choice];
}

}  // namespace attune
