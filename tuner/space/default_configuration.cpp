#include "space/default_configuration.hpp"

#include <fmt/format.h>

#include "attune/search_space.hpp"
#include "attune/space_audit.hpp"
#include "kernel/legality.hpp"

namespace attune {
namespace {

[[noreturn]] void refuse_empty_space(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device,
                                     const SearchSpace& space) {
  const auto core = empty_core(space);
  std::string rules;
  for (const std::size_t i : core ? core->rules : space.left_out()) {
    const Rule& rule = space.rules()[i];
    rules += fmt::format("\n  {}{}", rule.expression.text(), rule.implied ? "  (a limit of the device)" : "");
  }
  const char* const found = core ? "is legal" : "was found that is legal";
  const char* const why = core ? "these rules together leave nothing"
                               : "these rules outgrow the budget of counting, and what was tried breaks them";
  throw Error(fmt::format("no configuration of {} {} for {} on {}: {}:{}", spec.name, found, problem.text(),
                          device.name, why, rules));
}

}  // namespace

Configuration first_values(const KernelSpec& spec) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  return first;
}

std::optional<Configuration> default_configuration(const KernelSpec& spec, const SearchSpace& space) {
  return space.nearest(first_values(spec));
}

Configuration default_for(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  if (auto first = legal_configuration(spec, problem, device, first_values(spec))) return *first;
  const SearchSpace space = make_space(spec, problem, device);
  if (auto nearest = default_configuration(spec, space)) return *nearest;
  refuse_empty_space(spec, problem, device, space);
}

}  // namespace attune
