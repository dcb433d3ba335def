#include "space/default_configuration.hpp"

#include "attune/search_space.hpp"
#include "kernel/legality.hpp"

namespace attune {

Configuration first_values(const KernelSpec& spec) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  return first;
}

std::optional<Configuration> default_configuration(const KernelSpec& spec, const SearchSpace& space) {
  return space.nearest(first_values(spec));
}

std::optional<Configuration> default_for(const KernelSpec& spec, const Problem& problem, const DeviceInfo& device) {
  if (auto first = legal_configuration(spec, problem, device, first_values(spec))) return first;
  return default_configuration(spec, make_space(spec, problem, device));
}

}  // namespace attune
