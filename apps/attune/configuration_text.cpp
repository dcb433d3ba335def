#include "configuration_text.hpp"

#include <fmt/format.h>

#include "text.hpp"

namespace attune::cli {

std::string whole_text(const Configuration& configuration) {
  return configuration.empty() ? "no parameters" : configuration.text();
}

std::string difference_text(const Configuration& configuration, const Configuration& base, std::string_view equal) {
  Configuration changed;
  for (const Binding& binding : configuration) {
    const Value* const value = base.find(binding.name);
    if (value == nullptr || *value != binding.value) changed.set(binding.name, binding.value);
  }
  return changed.empty() && !configuration.empty() ? std::string(equal) : whole_text(changed);
}

std::string beside_text(Beside beside) {
  return beside == Beside::first ? "the first whole, of the others what differs from it"
                                 : "the first whole, of the others what differs from the one above";
}

std::string configurations_text(const std::vector<ShownConfiguration>& list, Beside beside) {
  std::string text;
  const ShownConfiguration* base = nullptr;
  std::size_t shown = 0;
  for (const ShownConfiguration& one : list) {
    std::string what = one.words;
    if (what.empty()) {
      const bool is_whole = base == nullptr || beside == Beside::none;
      what = is_whole ? whole_text(one.configuration)
                      : difference_text(one.configuration, base->configuration, "as " + base->name);
      if (base == nullptr || beside == Beside::previous) base = &one;
      ++shown;
    }
    text += "  " + in_lines(one.name + ": " + what, 4) + "\n";
  }
  if (shown < 2 || beside == Beside::none) return text;
  return in_lines("configurations: " + beside_text(beside), 2) + "\n" + text;
}

}  // namespace attune::cli
