#include "support/kernel_defaults.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "attune/kernel_files.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {

KernelSpec kernel_with(const std::string& name, const Defaults& defaults) {
  KernelSpec spec = load_kernel(name);
  for (const auto& [parameter, value] : defaults) {
    const auto list = std::ranges::find(spec.parameters, parameter, &Parameter::name);
    if (list == spec.parameters.end()) throw std::logic_error(name + " has no list of " + parameter);
    const auto found = std::ranges::find_if(list->values, [&](const Value& one) { return one.text() == value; });
    if (found == list->values.end()) throw std::logic_error(parameter + " has no value " + value);
    std::swap(*found, list->values.front());
  }
  return complete(std::move(spec));
}

std::string text_of(const Defaults& defaults) {
  std::string text;
  for (const auto& [parameter, value] : defaults) text += parameter + "=" + value + " ";
  return text;
}

std::unique_ptr<Dispatcher> dispatcher_with(const std::string& device, const std::string& kernel,
                                            const Defaults& defaults) {
  DispatcherOptions options;
  options.device = device;
  options.database = ":memory:";
  auto dispatcher = std::make_unique<Dispatcher>(options);
  dispatcher->add(kernel_bundle(kernel_with(kernel, defaults), kernel));
  return dispatcher;
}

}  // namespace attune::test
