#include "session/compiler_remarks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace attune {
namespace {

constexpr std::string_view warning = "Potential Performance Loss";

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

std::string performance_warnings(std::string_view log) {
  std::vector<std::string_view> kept;
  for (const std::string_view line : lines_of(log)) {
    const bool warns = line.find(warning) != std::string_view::npos;
    if (warns && std::find(kept.begin(), kept.end(), line) == kept.end()) kept.push_back(line);
  }
  std::string text;
  for (const std::string_view line : kept) text += (text.empty() ? "" : "\n") + std::string(line);
  return text;
}

std::vector<std::string> compiler_remarks(const std::string& who, const Trial& trial) {
  std::vector<std::string> remarks;
  if (trial.usage.spill_bytes > 0)
    remarks.push_back(fmt::format("{} spills {} bytes a thread: its {} registers do not suffice", who,
                                  trial.usage.spill_bytes, trial.usage.registers));
  if (trial.verdict != Verdict::ok) return remarks;
  for (const std::string_view line : lines_of(trial.detail)) {
    const auto start = line.find(warning);  // the text after "ptxas info    : (C7510) "
    if (start != std::string_view::npos) remarks.push_back(fmt::format("{}: {}", who, line.substr(start)));
  }
  return remarks;
}

}  // namespace attune
