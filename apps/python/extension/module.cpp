// The module cuattune._native: kernels on arrays of Python. cuattune/*.py make the public functions of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "python_kernel.hpp"

namespace nb = nanobind;
using namespace attune::python;

NB_MODULE(_native, module) {
  module.attr("version") = attune::library_version;
  static nb::exception<attune::Error> error(module, "Error", PyExc_RuntimeError);
  static nb::exception<attune::UsageError> usage(module, "UsageError", PyExc_ValueError);
  nb::class_<PythonKernel>(module, "Kernel")
      .def(nb::init<std::string, nb::object>(), nb::arg("name_or_file"), nb::arg("make"))
      .def_prop_ro("name", &PythonKernel::name)
      .def_prop_ro("summary", &PythonKernel::summary)
      .def_prop_ro("arguments", &PythonKernel::arguments)
      .def_prop_ro("problem", &PythonKernel::problem)
      .def("launch", &PythonKernel::launch, nb::arg("args"), nb::arg("kwargs"), nb::arg("stream"))
      .def("match", &PythonKernel::match, nb::arg("device"), nb::arg("problem"))
      .def("problem_of", &PythonKernel::problem_of, nb::arg("args"), nb::arg("kwargs"))
      .def("tune", &PythonKernel::tune, nb::arg("device"), nb::arg("problem"), nb::arg("effort"), nb::arg("options"));
}
