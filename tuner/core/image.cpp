#include "core/image.hpp"

#include <algorithm>

#include "core/digest.hpp"

namespace attune {

const ImageFunction* Image::find(std::string_view expression) const noexcept {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [&](const ImageFunction& function) { return function.expression == expression; });
  return found == functions.end() ? nullptr : &*found;
}

std::string ImageRequest::key() const {
  Digest digest;
  // Counts separate the lists: moving an item from the end of one to the start of the next changes the key.
  const auto add_count = [&](std::size_t count) { digest.add(std::to_string(count)); };
  digest.add("attune image 1").add(source.text);
  add_count(source.headers.size());
  for (const auto& [name, text] : source.headers) digest.add(name).add(text);
  add_count(expressions.size());
  for (const auto& expression : expressions) digest.add(expression);
  add_count(options.size());
  for (const auto& option : options) digest.add(option);
  return digest.add(architecture).hex();
}

}  // namespace attune
