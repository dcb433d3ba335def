#include "core/image.hpp"

#include <algorithm>

#include "core/digest.hpp"

namespace attune {

const ImageFunction* Image::find(std::string_view expression) const noexcept {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const ImageFunction& function) { return function.expression == expression; });
  return found == functions.end() ? nullptr : &*found;
}

ResourceUsage Image::largest_usage() const noexcept {
  ResourceUsage most;
  for (const auto& [expression, symbol, usage] : functions) {
    most.registers = std::max(most.registers, usage.registers);
    most.shared_static = std::max(most.shared_static, usage.shared_static);
    most.local_bytes = std::max(most.local_bytes, usage.local_bytes);
    most.spill_bytes = std::max(most.spill_bytes, usage.spill_bytes);
    most.constant_bytes = std::max(most.constant_bytes, usage.constant_bytes);
  }
  return most;
}

std::string ImageRequest::key() const {
  Digest digest;
  // Counts separate the lists: an item moved from one list to the next changes the key.
  const auto add_count = [&](std::size_t count) { digest.add(std::to_string(count)); };
  digest.add("attune image 2").add(source.text);
  add_count(source.headers.size());
  for (const auto& [name, text] : source.headers) digest.add(name).add(text);
  add_count(expressions.size());
  for (const auto& expression : expressions) digest.add(expression);
  add_count(options.size());
  for (const auto& option : options) digest.add(option);
  digest.add(architecture).add(checks);
  for (const auto& entry : waiting) digest.add("waits").add(entry);
  return digest.hex();
}

}  // namespace attune
