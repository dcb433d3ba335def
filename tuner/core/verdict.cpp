#include "core/verdict.hpp"

#include "attune/error.hpp"
#include "base/enum_texts.hpp"

namespace attune {
namespace {

constexpr EnumTexts<Verdict> verdict_texts("ok", "restricted", "compile_error", "compile_timeout", "compile_crash",
                                           "resources", "load_error", "launch_error", "fault", "timeout",
                                           "wrong_result", "guard", "unstable", "out_of_memory", "quarantined");

}  // namespace

std::string_view to_text(Verdict verdict) noexcept { return verdict_texts[verdict]; }

std::optional<Verdict> verdict_from_text(std::string_view text) noexcept { return verdict_texts.find(text); }

[[gnu::cold]] void throw_failed(const Status& status, const std::string& text) {
  if (status.sticky) throw BrokenProcess(text);
  throw Error(text);
}

}  // namespace attune
