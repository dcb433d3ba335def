#include "space/tried_parameters.hpp"

#include <algorithm>
#include <functional>

namespace attune {

std::vector<Parameter> tried_parameters(std::span<const Trial> trials) {
  std::vector<Parameter> parameters;
  for (const Trial& trial : trials) {
    for (const Binding& one : trial.configuration) {
      auto parameter = std::ranges::find(parameters, one.name, &Parameter::name);
      if (parameter == parameters.end()) parameter = parameters.insert(parameter, {one.name, {}});
      auto& values = parameter->values;
      if (std::ranges::find(values, one.value) == values.end()) values.push_back(one.value);
    }
  }
  for (Parameter& parameter : parameters) std::sort(parameter.values.begin(), parameter.values.end(), std::less<>());
  return parameters;
}

}  // namespace attune
