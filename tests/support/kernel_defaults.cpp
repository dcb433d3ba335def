#include "support/kernel_defaults.hpp"

#include <algorithm>
#include <stdexcept>

#include "attune/kernel_files.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {

std::string kernel_with(const std::string& name, const Defaults& defaults) {
  const std::vector<EmbeddedFile> kernels = builtin_kernels();
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [&](const EmbeddedFile& kernel) { return kernel.file_name == name + ".cu"; });
  std::string text(found->text);
  for (const auto& [parameter, value] : defaults) {
    const std::size_t list = text.find("\n" + parameter + " = [");
    if (list == std::string::npos) throw std::logic_error(name + " has no list of " + parameter);
    const std::size_t begin = text.find('[', list) + 1, end = text.find(']', begin);
    const std::size_t at = text.find(value, begin);
    if (at >= end) throw std::logic_error(parameter + " has no value " + value);
    const std::size_t first_end = text.find_first_of(",]", begin);
    const std::string first = text.substr(begin, first_end - begin);
    text.replace(at, value.size(), first);
    text.replace(begin, first.size(), value);
  }
  return text;
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
  dispatcher->add(kernel_bundle(read_kernel_text(kernel_with(kernel, defaults), kernel + ".cu"), kernel));
  return dispatcher;
}

}  // namespace attune::test
