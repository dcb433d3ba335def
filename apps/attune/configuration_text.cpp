#include "configuration_text.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace attune::cli {

std::string changes_text(const Configuration& configuration, const Configuration& base) {
  Configuration changed;
  for (const Binding& binding : configuration) {
    const Value* const value = base.find(binding.name);
    if (value == nullptr || *value != binding.value) changed.set(binding.name, binding.value);
  }
  return changed.text();
}

std::string configurations_text(const std::vector<NamedText>& list, Beside beside) {
  std::string text;
  const Configuration* base = nullptr;
  std::string base_name;
  std::size_t shown = 0;
  for (const NamedText& one : list) {
    std::string what = one.words;
    if (!one.configuration.empty()) {
      what = base == nullptr ? one.configuration.text() : changes_text(one.configuration, *base);
      if (what.empty()) what = "as " + base_name;
      if (beside == Beside::previous || (beside == Beside::first && base == nullptr)) {
        base = &one.configuration;
        base_name = one.name;
      }
      ++shown;
    }
    text += "  " + in_lines(fmt::format("{}: {}", one.name, what), 4) + "\n";
  }
  if (shown < 2 || beside == Beside::none) return text;
  return (beside == Beside::first
              ? "configurations: the first whole, of the others what differs from it\n"
              : "configurations: the first whole, of the others what differs from the one above\n") +
         text;
}

}  // namespace attune::cli
