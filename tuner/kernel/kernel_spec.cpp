#include "attune/kernel_spec.hpp"

#include <algorithm>

namespace attune {
namespace {

template <typename Item>
const Item* find_named(const std::vector<Item>& items, std::string_view name) noexcept {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

}  // namespace

const Argument* KernelSpec::find_argument(std::string_view wanted) const noexcept {
  return find_named(arguments, wanted);
}

bool KernelSpec::restores_inputs() const noexcept {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const Argument& argument) { return argument.role == Role::inout && argument.restore; });
}

const Parameter* KernelSpec::find_parameter(std::string_view wanted) const noexcept {
  return find_named(parameters, wanted);
}

const ProblemParameter* KernelSpec::find_problem(std::string_view wanted) const noexcept {
  return find_named(problem, wanted);
}

}  // namespace attune
