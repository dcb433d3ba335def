#include "space/default_configuration.hpp"

#include "attune/search_space.hpp"
#include "kernel/ladder.hpp"
#include "kernel/legality.hpp"
#include "space/fallbacks.hpp"

namespace attune {

Configuration first_values(const KernelSpec& spec) {
  Configuration first;
  for (const Parameter& parameter : spec.parameters) first.set(parameter.name, parameter.values.front());
  return first;
}

std::optional<Configuration> nearest_to_first_values(const KernelSpec& spec, const Problem& problem,
                                                     const DeviceInfo& device) {
  if (auto first = legal_configuration(spec, problem, device, first_values(spec))) return first;
  return make_space(spec, problem, device).nearest(first_values(spec));
}

std::optional<Configuration> default_configuration(const KernelSpec& spec, const Problem& problem,
                                                   const DeviceInfo& device) {
  const KernelSpec& whole = spec.whole ? *spec.whole : spec;
  if (auto first = legal_configuration(whole, problem, device, first_values(whole))) return first;
  for (const Configuration& fallback : fallback_configurations(whole, most_fallbacks))
    if (auto legal = legal_configuration(whole, problem, device, fallback)) return legal;
  return nearest_to_first_values(whole, problem, device);
}

}  // namespace attune
