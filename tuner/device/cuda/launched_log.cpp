#include "device/cuda/launched_log.hpp"

#include <algorithm>
#include <vector>

namespace attune::cuda {
namespace {

// Returns the symbol behind `mark`, in quotes or not; "" where the line lacks the mark.
std::string_view symbol_after(std::string_view line, std::string_view mark) {
  const auto position = line.find(mark);
  if (position == std::string_view::npos) return {};
  line.remove_prefix(position + mark.size());
  line.remove_prefix(std::min(line.find_first_not_of(" '"), line.size()));
  return line.substr(0, line.find_first_of(" '\r"));
}

constexpr std::string_view entry_mark = "Compiling entry function", properties_mark = "Function properties for";

}  // namespace

std::string launched_log(std::string_view log, std::span<const ImageFunction> functions) {
  std::vector<std::string_view> lines, others;
  while (!log.empty()) {
    const auto end = log.find('\n');
    lines.push_back(log.substr(0, end));
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
  }
  for (const std::string_view line : lines) {
    const std::string_view entry = symbol_after(line, entry_mark);
    const bool is_launched =
        std::any_of(functions.begin(), functions.end(), [&](const ImageFunction& one) { return one.symbol == entry; });
    if (!entry.empty() && !is_launched) others.push_back(entry);
  }
  const auto names_other = [&](std::string_view line) {
    return std::any_of(others.begin(), others.end(), [&](std::string_view symbol) {
      return line.find("'" + std::string(symbol) + "'") != std::string_view::npos;
    });
  };
  std::string kept;
  bool is_of_other = false;  // until the next entry or function
  for (const std::string_view line : lines) {
    for (const std::string_view mark : {entry_mark, properties_mark})
      if (const std::string_view symbol = symbol_after(line, mark); !symbol.empty())
        is_of_other = std::find(others.begin(), others.end(), symbol) != others.end();
    if (!is_of_other && !names_other(line)) kept += std::string(line) + "\n";
  }
  return kept;
}

}  // namespace attune::cuda
