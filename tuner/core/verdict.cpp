#include "core/verdict.hpp"

#include <array>
#include <cstddef>

namespace attune {
namespace {

// By number.
constexpr std::array<std::string_view, 15> verdict_texts = {
    "ok",           "restricted", "compile_error", "compile_timeout", "compile_crash",
    "resources",    "load_error", "launch_error",  "fault",           "timeout",
    "wrong_result", "guard",      "unstable",      "out_of_memory",   "quarantined"};

}  // namespace

std::string_view to_text(Verdict verdict) noexcept {
  const auto number = static_cast<std::size_t>(verdict);
  return number < verdict_texts.size() ? verdict_texts[number] : "unknown";
}

std::optional<Verdict> verdict_from_text(std::string_view text) noexcept {
  for (std::size_t number = 0; number < verdict_texts.size(); ++number) {
    if (verdict_texts[number] == text) return static_cast<Verdict>(number);
  }
  return std::nullopt;
}

}  // namespace attune
