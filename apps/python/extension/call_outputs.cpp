// The outputs of a call: their shapes, the arrays that are made for them, and what is returned.
#include <fmt/format.h>

#include "attune/error.hpp"
#include "call.hpp"

namespace nb = nanobind;

namespace attune::python {

// Returns the dimensions that are this name in an input, where it is the first name; empty: there are none.
std::span<const std::int64_t> Call::extents_in_front(int name) const {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const Product& size = parameters_[k].size;
    const bool is_input = parameters_[k].is_array && parameters_[k].argument->role != Role::out && given_[k].is_valid();
    if (!is_input || !size.is_known || size.names.empty() || size.names[0] != name || parameters_[k].components != 1)
      continue;
    const Array& array = arrays_[k];
    if (size.is_spelled_by(array.dimensions))
      return array.extents().first(static_cast<std::size_t>(array.dimensions) + 1 - size.names.size());
  }
  return {};
}

std::vector<std::int64_t> Call::shape_of(std::size_t output) const {
  const Parameter& parameter = parameters_[output];
  std::vector<std::int64_t> shape;
  if (parameter.size.is_known) {
    if (parameter.size.factor * parameter.components != 1)
      shape.push_back(parameter.size.factor * parameter.components);
    std::vector<std::int64_t> names;
    for (const int name : parameter.size.names) {
      const std::span<const std::int64_t> in_front =
          names.empty() ? extents_in_front(name) : std::span<const std::int64_t>();
      if (in_front.empty()) names.push_back(sizes_[static_cast<std::size_t>(name)]);
      names.insert(names.end(), in_front.begin(), in_front.end());
    }
    shape.insert(parameter.components == 1 ? shape.end() : shape.begin(), names.begin(), names.end());
    return shape;
  }
  const Problem whole = problem();
  return {
      parameter.argument->size->integer(Scope{.problem = &whole}, "the size of `" + parameter.argument->name + "`") *
      parameter.components};
}

// Sizes by keyword may leave a part of the arrays out. An output that is made has no such part.
void Call::refuse_other_size(std::size_t i) const {
  const Parameter& parameter = parameters_[i];
  if (by_keyword_ == 0 || !parameter.size.is_known) return;
  const Array& same = arrays_[static_cast<std::size_t>(parameter.like)];
  std::int64_t elements = parameter.size.factor * same.components;
  for (const int name : parameter.size.names) elements *= sizes_[static_cast<std::size_t>(name)];
  if (elements != same.size())
    refuse(i, fmt::format("is not made, because sizes by keyword say {} elements, but `{}` is {}: give it", elements,
                          parameters_[static_cast<std::size_t>(parameter.like)].argument->name, same.text()));
}

nb::object Call::made_output(std::size_t i) const {
  const Parameter& parameter = parameters_[i];
  if (first_on_device_ < 0) refuse(i, "there is no array that says where to make it: give it");
  const auto first = static_cast<std::size_t>(first_on_device_);
  std::string_view type =
      parameter.name >= 0 ? texts_[static_cast<std::size_t>(parameter.name)] : std::string_view(parameter.element);
  std::vector<std::int64_t> shape;
  if (parameter.like >= 0 && given_[static_cast<std::size_t>(parameter.like)].is_valid()) {
    refuse_other_size(i);
    const auto like = static_cast<std::size_t>(parameter.like);
    const Array& same = arrays_[like];
    if (same.type == parameter.argument->type) type = same.type;  // complex numbers for float2
    if (of_[like]->empty_like.is_valid() && same.type == type && same.device == device_)
      return of_[like]->empty_like(given_[like]);
    shape.assign(same.extents().begin(), same.extents().end());
  } else {
    shape = shape_of(i);
  }
  if (of_[first]->exchange != nullptr) return make_array(*of_[first]->exchange, shape, dlpack_type(type), device_);
  nb::list extents;
  for (const std::int64_t extent : shape) extents.append(extent);
  return frameworks_.make_array(given_[first], nb::tuple(extents), nb::str(type.data(), type.size()));
}

void Call::make_outputs() {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].is_array || given_[i].is_valid()) continue;
    made_.push_back(made_output(i));
    given_[i] = made_.back();
    take_array(i);
  }
}

nb::object Call::outputs() const {
  nb::handle first;
  std::size_t count = 0;
  const auto is_output = [&](std::size_t i) {
    return parameters_[i].is_array && parameters_[i].argument->role == Role::out && given_[i].is_valid();
  };
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (is_output(i) && count++ == 0) first = given_[i];
  if (count == 0) return nb::none();
  if (count == 1) return nb::borrow(first);
  nb::list outputs;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (is_output(i)) outputs.append(given_[i]);
  return nb::tuple(outputs);
}

}  // namespace attune::python
