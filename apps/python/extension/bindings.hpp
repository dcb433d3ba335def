// Problems and configurations as dictionaries of Python.
#pragma once

#include <nanobind/nanobind.h>

#include "attune/bindings.hpp"
#include "attune/match.hpp"

namespace attune::python {

nanobind::dict dict_of(const Bindings& bindings);
nanobind::dict dict_of(const Match& match);
// Integers and names; throws nb::cast_error for other values.
Problem problem_from(const nanobind::dict& given);

}  // namespace attune::python
