// [compile].
#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

// Checks an option such as "-DX={TILE} if FAST".
void validate_option(const KernelSpec& spec, const std::string& option, const std::string& place) {
  const AllowedNames allowed{.parameters = true, .device = true, .subject = "an option"};
  constexpr std::string_view condition_mark = " if ";
  if (!option.starts_with('-')) {
    throw Fault(place, fmt::format("`{}` is no option of the compiler: expected a leading `-`", shortened(option)));
  }
  const auto condition = option.rfind(condition_mark);
  const auto text = std::string_view(option).substr(0, condition);
  for (auto open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const auto close = std::min(text.find('}', open), text.size());
    const auto name = text.substr(open + 1, close - open - 1);
    if (close < text.size() && (spec.find_parameter(name) != nullptr || spec.find_problem(name) != nullptr)) continue;
    std::vector<std::string> known;
    for (const auto& parameter : spec.parameters) known.push_back(parameter.name);
    for (const auto& entry : spec.problem) known.push_back(entry.name);
    throw fault_in_string(place, open,
                          fmt::format("`{{{}}}` in `{}`: expected {{NAME}} of a parameter or a problem entry{}",
                                      shortened(name), shortened(option), suggestion(name, known)));
  }
  if (condition == std::string::npos) return;
  const auto shift = condition + condition_mark.size();
  try {
    require_known_names(spec, Expression(std::string_view(option).substr(shift)), allowed, place, shift);
  } catch (const ExpressionError& error) {
    throw fault_in_string(place, shift + error.offset, error.what());
  }
}

bool is_architecture(std::string_view text) {
  if (!text.starts_with("sm_")) return false;
  text.remove_prefix(3);
  if (text.ends_with('a') || text.ends_with('f')) text.remove_suffix(1);
  return (text.size() == 2 || text.size() == 3) && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void validate_compile_options(const KernelSpec& spec) {
  for (std::size_t i = 0; i < spec.compile.options.size(); ++i) {
    validate_option(spec, spec.compile.options[i], fmt::format("compile.options[{}]", i));
  }
  const auto& architecture = spec.compile.requires_architecture;
  if (!is_architecture(architecture) && (!architecture.empty() || spec.compile.requires_where)) {
    throw Fault("compile.requires",
                fmt::format("`{}` is no architecture: expected a name such as \"sm_90\" or \"sm_90a\", perhaps with a "
                            "condition: \"sm_90a if TENSOR\"",
                            shortened(architecture)));
  }
  if (!spec.compile.requires_where) return;
  const AllowedNames allowed{.parameters = true, .device = true, .subject = "the condition of an architecture"};
  require_known_names(spec, *spec.compile.requires_where, allowed, "compile.requires", architecture.size() + 4);
}

}  // namespace attune
