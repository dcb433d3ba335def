#include "attune/bindings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "base/near_name.hpp"

namespace attune {

const Value* Bindings::find(std::string_view name) const noexcept {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const Binding& item) { return item.name == name; });
  return found == items_.end() ? nullptr : &found->value;
}

const Value& Bindings::at(std::string_view name) const {
  if (const Value* const value = find(name)) return *value;
  std::vector<std::string> known;
  for (const auto& item : items_) known.push_back(item.name);
  throw Error(fmt::format("`{}` is not bound{}", name, suggestion(name, known)));
}

void Bindings::set(std::string_view name, Value value) {
  const auto found = std::find_if(items_.begin(), items_.end(), [&](const Binding& item) { return item.name == name; });
  if (found != items_.end()) {
    found->value = std::move(value);
  } else {
    items_.push_back({std::string(name), std::move(value)});
  }
}

std::string Bindings::text() const {
  std::string text;
  for (const auto& [name, value] : items_) {
    if (!text.empty()) text += ' ';
    text += name + '=' + value.text();
  }
  return text;
}

}  // namespace attune
