#include "core/objective_text.hpp"

namespace attune {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\n");
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

}  // namespace

std::vector<std::string_view> objective_formulas(std::string_view text) {
  std::vector<std::string_view> formulas;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '(' || text[i] == '[')) ++depth;
    if (i < text.size() && (text[i] == ')' || text[i] == ']')) --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
    formulas.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return formulas;
}

std::string canonical_objective(std::string_view text) {
  std::string canonical;
  for (const std::string_view formula : objective_formulas(text)) {
    if (!canonical.empty()) canonical += ", ";
    canonical += formula;
  }
  return canonical;
}

}  // namespace attune
