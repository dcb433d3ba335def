#include "bindings.hpp"

#include <nanobind/stl/string.h>

#include "attune/error.hpp"

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

bool is_integer(nb::handle object, std::int64_t& value) {
  if (PyIndex_Check(object.ptr()) == 0) return false;
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  return nb::try_cast(number, value);
}

}  // namespace

nb::dict dict_of(const Bindings& bindings) {
  nb::dict dict;
  for (const Binding& one : bindings) dict[one.name.c_str()] = object_of(one.value);
  return dict;
}

nb::dict dict_of(const Match& match) {
  nb::dict dict;
  dict["rung"] = std::string(to_text(match.rung));
  dict["why"] = match.why;
  dict["configuration"] = dict_of(static_cast<const Bindings&>(match.configuration));
  dict["speedup"] = match.speedup;
  dict["source"] = match.source;
  return dict;
}

Problem problem_from(const nb::dict& given) {
  Problem problem;
  for (const std::pair<nb::handle, nb::handle> one : given) {
    const auto name = nb::cast<std::string>(one.first);
    std::int64_t integer = 0;
    if (nb::isinstance<nb::str>(one.second))
      problem.set(name, nb::cast<std::string>(one.second));
    else if (is_integer(one.second, integer))
      problem.set(name, integer);
    else
      throw UsageError("`" + name + "`: expected an integer or a name, got " +
                       nb::cast<std::string>(nb::repr(one.second)));
  }
  return problem;
}

}  // namespace attune::python
