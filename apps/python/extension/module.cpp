// The module cuattune._native: kernels on arrays of Python. cuattune/*.py make the public functions of it.
#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "attune/error.hpp"
#include "attune/version.hpp"
#include "in_turn.hpp"
#include "python_kernel.hpp"

namespace nb = nanobind;
using namespace attune::python;

namespace {

// Makes an exception type of this module. `bases`: a tuple of types.
nb::object exception(nb::module_& module, const char* name, const char* text, const nb::object& bases) {
  const std::string whole = std::string("cuattune.") + name;
  const nb::object type = nb::steal(PyErr_NewExceptionWithDoc(whole.c_str(), text, bases.ptr(), nullptr));
  if (!type.is_valid()) nb::raise_python_error();
  module.attr(name) = type;
  return type;
}

PyObject *error_type, *usage_type, *prepared_type, *memory_type;

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const attune::UsageError& error) {
    PyErr_SetString(usage_type, error.what());
  } catch (const attune::NotPrepared& error) {
    PyErr_SetString(prepared_type, error.what());
  } catch (const attune::OutOfMemory& error) {
    PyErr_SetString(memory_type, error.what());
  } catch (const attune::Error& error) {
    PyErr_SetString(error_type, error.what());
  }
}

// What a PyTorch operator calls: a launch that copies inputs with strides.
struct Operation {
  nb::object keeps_alive;
  PythonKernel& kernel;
};

nb::object launch(PythonKernel& kernel, nb::handle args, nb::handle kwargs) {
  return kernel.launch(args, kwargs, false);
}
nb::object launch(Operation& of, nb::handle args, nb::handle kwargs) { return of.kernel.launch(args, kwargs, true); }

// Is called by the interpreter itself, without nanobind's reading of arguments, which takes as long as all else here.
template <typename T>
PyObject* call(PyObject* self, PyObject* args, PyObject* kwargs) noexcept {
  try {
    if (!nb::inst_ready(self)) throw attune::UsageError("the kernel was not made");
    return launch(*nb::inst_ptr<T>(self), args, kwargs).release().ptr();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (const attune::Error&) {
    translate(std::current_exception(), nullptr);
  } catch (const nb::cast_error&) {
    PyErr_SetString(PyExc_TypeError, "an object of another type than expected");
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

template <typename T>
PyType_Slot callable[] = {{Py_tp_call, reinterpret_cast<void*>(&call<T>)}, {0, nullptr}};

void add_exceptions(nb::module_& module) {
  const nb::object error = exception(module, "Error", "What attune cannot do; the text names the next step.",
                                     nb::make_tuple(nb::borrow(PyExc_RuntimeError)));
  error_type = error.inc_ref().ptr();
  const auto derived = [&](const char* name, const char* text, PyObject* base) {
    return exception(module, name, text, nb::make_tuple(error, nb::borrow(base))).inc_ref().ptr();
  };
  usage_type = derived("UsageError", "What the caller asked for is unknown or does not fit.", PyExc_ValueError);
  memory_type = derived("OutOfMemory", "The device lacks memory.", PyExc_MemoryError);
  prepared_type =
      exception(module, "NotPrepared", "Nothing is loaded, and compiling was not allowed.", nb::make_tuple(error))
          .inc_ref()
          .ptr();
  nb::register_exception_translator(translate);
}

// Warns by the module `warnings`, from any thread.
void warn(const std::string& text) {
  if (Py_IsInitialized() == 0) return;
  const nb::gil_scoped_acquire held;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) PyErr_Clear();
}

attune::Policy policy_of(const std::string& text) {
  if (text == "wait") return attune::Policy::wait;
  if (text == "background") return attune::Policy::background;
  if (text == "cached_only") return attune::Policy::cached_only;
  throw attune::UsageError("`" + text + "` is no policy: expected \"wait\", \"background\" or \"cached_only\"");
}

KernelOptions options_of(const nb::dict& given) {
  KernelOptions options;
  options.dispatcher.warn = warn;
  for (const auto& [name, value] : given) {
    const auto text = nb::cast<std::string>(name);
    const bool is_switch = text == "deterministic_only";
    const bool is_known =
        is_switch || text == "policy" || text == "regime" || text == "objective" || text == "database";
    if (!is_known) throw attune::UsageError("kernel() has no option `" + text + "`");
    if (is_switch ? !PyBool_Check(value.ptr()) : !nb::isinstance<nb::str>(value))
      throw attune::UsageError(fmt::format("kernel(): `{}` is {}, got {}", text, is_switch ? "True or False" : "a str",
                                           nb::cast<std::string>(nb::repr(value))));
    if (text == "policy")
      options.policy = policy_of(nb::cast<std::string>(value));
    else if (text == "regime")
      options.dispatcher.regime = nb::cast<std::string>(value);
    else if (text == "objective")
      options.dispatcher.objective = nb::cast<std::string>(value);
    else if (text == "database")
      options.dispatcher.database = nb::cast<std::string>(value);
    else
      options.dispatcher.deterministic_only = nb::cast<bool>(value);
  }
  return options;
}

void refuse_subinterpreters() {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return;
  PyErr_SetString(PyExc_ImportError, "cuattune serves the main interpreter only: import it there");
  nb::raise_python_error();
}

}  // namespace

NB_MODULE(_native, module) {
  refuse_subinterpreters();
  nb::set_leak_warnings(false);  // kernels live as long as operators, to the very end
  module.attr("version") = attune::library_version;
  add_exceptions(module);
  nb::class_<Operation>(module, "Operation", nb::type_slots(callable<Operation>))
      .def("__init__", [](Operation* self, nb::object kernel) {
        new (self) Operation{kernel, nb::cast<PythonKernel&>(kernel)};
      });
  nb::class_<PythonKernel>(module, "Kernel", nb::type_slots(callable<PythonKernel>))
      .def("__init__",
           [](PythonKernel* self, const std::string& name_or_file, nb::object make_array, nb::object stream_of,
              nb::object handle_of, nb::dict options) {
             new (self) PythonKernel(name_or_file, {make_array, stream_of, handle_of}, options_of(options));
           })
      .def_prop_ro(
          "name", [](PythonKernel& self) { return self.spec().name; }, "What the kernel file calls itself.")
      .def_prop_ro(
          "summary", [](PythonKernel& self) { return self.spec().summary; }, "The sentence of the kernel file.")
      .def_prop_ro("arguments", &PythonKernel::arguments,
                   "What a call takes, in order: dictionaries with name, type, role, and for arrays size.")
      .def_prop_ro("problem", &PythonKernel::problem,
                   "The names of [problem]: the default of a size, the list of types or choices.")
      .def("prepare", [](PythonKernel& self, nb::args args, nb::kwargs kwargs) { self.prepare(args, kwargs); })
      .def("refresh", &PythonKernel::refresh)
      .def("_match", &PythonKernel::match)
      .def("_problem_of",
           [](PythonKernel& self, nb::args args, nb::kwargs kwargs) { return self.problem_of(args, kwargs); })
      .def("_plan_launch_ns", [](PythonKernel& self, int launches, nb::args args,
                                 nb::kwargs kwargs) { return self.plan_launch_ns(args, kwargs, launches); })
      .def("_time_in_turn",
           [](PythonKernel& self, const std::string& device, nb::list callables, bool flush, double seconds) {
             return time_in_turn(self.device(device), callables, flush, seconds);
           });
  const nb::module_ atexit = nb::module_::import_("atexit");
  atexit.attr("register")(nb::cpp_function(&PythonKernel::close_all));
  nb::module_::import_("os").attr("register_at_fork")(nb::arg("after_in_child") =
                                                          nb::cpp_function(&PythonKernel::forget_all_devices));
}
