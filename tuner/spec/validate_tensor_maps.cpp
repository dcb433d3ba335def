// Tensor maps in [arguments]: their array, dimensions and names.
#include <fmt/format.h>

#include "base/near_name.hpp"
#include "core/tensor_layout.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

const Argument& array_of(const KernelSpec& spec, const Argument& map, const std::string& place) {
  const std::string& name = map.tiles->array;
  const Argument* const array = spec.find_argument(name);
  std::vector<std::string> arrays;
  for (const Argument& argument : spec.arguments)
    if (is_array(argument.role)) arrays.push_back(argument.name);
  if (array == nullptr || !is_array(array->role))
    throw Fault(place + ".tensor",
                fmt::format("`{}` is no array of [arguments]{}", shortened(name), suggestion(name, arrays)));
  if (array->by_value)
    throw Fault(place + ".tensor", fmt::format("`{}` is passed by value: it lies in no memory of the device", name));
  if (!array->size) throw Fault(place + ".tensor", fmt::format("the array `{}` has no size", name));
  return *array;
}

void validate_numbers(const KernelSpec& spec, const std::vector<Expression>& numbers, const AllowedNames& allowed,
                      const std::string& place) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto at = fmt::format("{}[{}]", place, i);
    require_known_names(spec, numbers[i], allowed, at);
    require_integer_if_constant(numbers[i], 1, at);
  }
}

void validate_dimensions(const TiledView& tiles, const std::string& place) {
  const std::size_t dimensions = tiles.shape.size();
  if (dimensions == 0 || dimensions > most_tensor_dimensions)
    throw Fault(place + ".shape",
                fmt::format("expected 1 to {} dimensions, found {}", most_tensor_dimensions, dimensions));
  if (tiles.box.size() != dimensions)
    throw Fault(place + ".box",
                fmt::format("expected {}, one for each dimension of `shape`, found {}", dimensions, tiles.box.size()));
  if (tiles.strides.empty() || tiles.strides.size() == dimensions - 1) return;
  throw Fault(place + ".strides",
              fmt::format("expected {}, found {}: the elements of dimension 0 are neighbours, and each dimension above "
                          "has a stride (none: the array is dense)",
                          dimensions - 1, tiles.strides.size()));
}

}  // namespace

void validate_tensor_map(const KernelSpec& spec, const Argument& map) {
  const auto place = "arguments." + map.name;
  if (!map.tiles) throw Fault(place, "an argument of the role map needs `tiles`");
  const TiledView& tiles = *map.tiles;
  const bool scratch = array_of(spec, map, place).role == Role::scratch;
  validate_dimensions(tiles, place);
  const AllowedNames of_array{
      .parameters = scratch, .device = scratch, .subject = "the shape of an argument that the application passes"},
      of_configuration{.parameters = true, .device = true, .subject = "a tensor map"};
  validate_numbers(spec, tiles.shape, of_array, place + ".shape");
  validate_numbers(spec, tiles.strides, of_array, place + ".strides");
  validate_numbers(spec, tiles.box, of_configuration, place + ".box");
  if (tiles.swizzle) {
    require_known_names(spec, *tiles.swizzle, of_configuration, place + ".swizzle");
    require_integer_if_constant(*tiles.swizzle, 0, place + ".swizzle");
  }
  if (tiles.when) require_known_names(spec, *tiles.when, of_configuration, place + ".when");
}

}  // namespace attune
