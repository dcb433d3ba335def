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

std::string_view default_failure(const Record& record) {
  const bool has_failed = record.default_verdict != Verdict::ok && record.default_verdict != Verdict::restricted;
  return has_failed ? to_text(record.default_verdict) : "";
}

std::string say_default_failed(std::string_view failure) {
  if (failure == to_text(Verdict::restricted)) return "the default configuration is not deterministic";
  return "the default configuration failed (" + std::string(failure) + ")";
}

Effort effort_from_text(std::string_view text) {
  if (const std::optional<Effort> effort = effort_names.find(text)) return *effort;
  throw UsageError("unknown effort `" + std::string(text) + "`" +
                   suggestion(text, {effort_names.texts.begin(), effort_names.texts.end()}));
}

}  // namespace attune
