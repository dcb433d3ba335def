#include "core/record.hpp"

#include <string>
#include <vector>

#include "attune/error.hpp"
#include "base/enum_texts.hpp"
#include "base/near_name.hpp"

namespace attune {
namespace {

constexpr EnumTexts<Effort> effort_names("estimate", "measure", "patient", "exhaustive");

}  // namespace

std::string_view to_text(Effort effort) noexcept { return effort_names[effort]; }

std::string default_failure(const Record& record) {
  if (!has_default_failed(record)) return {};
  return "the default failed (" + std::string(to_text(record.default_verdict)) + ")";
}

Effort effort_from_text(std::string_view text) {
  if (const std::optional<Effort> effort = effort_names.find(text)) return *effort;
  throw UsageError("unknown effort `" + std::string(text) + "`" +
                   suggestion(text, {effort_names.texts.begin(), effort_names.texts.end()}));
}

}  // namespace attune
