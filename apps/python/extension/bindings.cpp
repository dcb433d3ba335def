#include "bindings.hpp"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace attune::python {
namespace {

nb::object object_of(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return nb::cast(value.boolean());
    case Value::Kind::integer:
      return nb::cast(value.integer());
    case Value::Kind::real:
      return nb::cast(value.real());
    case Value::Kind::name:
      break;
  }
  return nb::cast(value.name());
}

}  // namespace

nb::dict dict_of(const Bindings& bindings) {
  nb::dict dict;
  for (const Binding& one : bindings) dict[one.name.c_str()] = object_of(one.value);
  return dict;
}

Problem problem_from(const nb::dict& given) {
  Problem problem;
  for (const std::pair<nb::handle, nb::handle> one : given) {
    const auto name = nb::cast<std::string>(one.first);
    if (nb::isinstance<nb::str>(one.second))
      problem.set(name, nb::cast<std::string>(one.second));
    else
      problem.set(name, nb::cast<std::int64_t>(one.second));
  }
  return problem;
}

}  // namespace attune::python
