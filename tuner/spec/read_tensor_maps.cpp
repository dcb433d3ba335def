// Tensor maps in [arguments].
#include <fmt/format.h>

#include "spec/sections.hpp"

namespace attune {

Argument read_tensor_map(const Document& document, const TomlNode& node, const std::string& name) {
  for (const char* const key : {"type", "size", "role", "fill", "restore", "value"})
    if (const TomlNode* const given = node.find(key))
      document.fail(given->key_at, fmt::format("`{}` does not go with `tensor`: a tensor map has the type and the size "
                                               "of its array",
                                               key));
  const TomlSection section(document, node, name, {"tensor", "shape", "strides", "box", "swizzle", "when"});
  section.need("shape");
  section.need("box");
  Argument argument;
  argument.name = node.key;
  argument.role = Role::map;
  TiledView& tiles = argument.tiles.emplace();
  tiles.array = document.string(section.need("tensor"), "the name of an array argument in quotes");
  tiles.shape = section.expressions("shape", Literal::integer);
  tiles.strides = section.expressions("strides", Literal::integer);
  tiles.box = section.expressions("box", Literal::integer);
  tiles.swizzle = section.expression("swizzle", Literal::integer);
  tiles.when = section.expression("when", Literal::boolean);
  return argument;
}

}  // namespace attune
