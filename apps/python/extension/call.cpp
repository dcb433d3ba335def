#include "call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "attune/error.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

std::string_view text_of(nb::handle object) {
  Py_ssize_t length = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &length);
  if (text == nullptr) nb::raise_python_error();
  return {text, static_cast<std::size_t>(length)};
}

std::string shown(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

std::string class_of(nb::handle object) { return nb::cast<std::string>(nb::str(nb::type_name(object.type()))); }

// Returns an integer of Python, or an object that counts as one, such as NumPy's. Nothing: it is none. Sets `is_large`
// where it is one of 2^63 and more, of which it returns the 64 bits.
std::optional<std::int64_t> integer_of(nb::handle object, bool& is_large) {
  if (PyIndex_Check(object.ptr()) == 0) return std::nullopt;
  const nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) nb::raise_python_error();
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow > 0) {
    const unsigned long long large = PyLong_AsUnsignedLongLong(number.ptr());
    is_large = PyErr_Occurred() == nullptr;
    if (is_large) return static_cast<std::int64_t>(large);
    PyErr_Clear();
  }
  if (overflow != 0) throw UsageError("an integer that does not fit 64 bits");
  return value;
}

}  // namespace

Call::Call(const Signature& signature, nb::handle args, nb::handle kwargs, const Frameworks& frameworks, For what)
    : signature_(signature), parameters_(signature.parameters()), frameworks_(frameworks), what_(what) {
  const std::size_t parameters = parameters_.size(), names = signature.spec().problem.size();
  given_.resize(parameters);
  of_.resize(parameters);
  arrays_.resize(parameters, boost::container::default_init);
  arguments_.resize(parameters);
  sizes_.resize(names);
  texts_.resize(names);
  take(args, kwargs);
  take_arrays();
  const bool is_launched = what != For::problem;
  for (std::size_t i = 0; is_launched && i < parameters; ++i)
    if (parameters_[i].is_array && parameters_[i].argument->role != Role::out && !given_[i].is_valid())
      refuse(i, "is not given");
  take_scalars(is_launched);
  fill_in();
  if (is_launched) make_outputs();
}

void Call::refuse(const std::string& why) const { throw UsageError(signature_.spec().name + ": " + why); }

void Call::refuse(std::size_t i, const std::string& why) const {
  refuse(fmt::format("argument `{}`: {}", parameters_[i].argument->name, why));
}

void Call::refuse_unsaid(int name) const {
  const std::string& called = signature_.spec().problem[static_cast<std::size_t>(name)].name;
  refuse(fmt::format("the arrays do not say `{}`: give it by keyword, {}=...", called, called));
}

bool Call::is_text(int name) const noexcept {
  const ProblemKind kind = signature_.spec().problem[static_cast<std::size_t>(name)].kind;
  return kind == ProblemKind::type || kind == ProblemKind::choice;
}

// Positional arguments are those of [arguments]: without outputs, if there are fewer arrays; without the numbers that
// are sizes, if there are fewer numbers.
void Call::take(nb::handle args, nb::handle kwargs) {
  const auto count = static_cast<std::size_t>(PyTuple_Size(args.ptr()));
  std::size_t arrays = 0, next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::handle given = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
    arrays += framework_of(given).is_array ? 1 : 0;
  }
  const bool has_outputs = arrays >= signature_.arrays();
  const bool has_sizes = count - arrays >= parameters_.size() - signature_.arrays();
  const auto is_left_out = [&](const Parameter& one) {
    return one.is_array ? !has_outputs && one.argument->role == Role::out : !has_sizes && one.name >= 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    while (next < parameters_.size() && is_left_out(parameters_[next])) ++next;
    if (next == parameters_.size())
      refuse(fmt::format("takes {} arguments, and {} are given", parameters_.size(), count));
    given_[next++] = PyTuple_GetItem(args.ptr(), static_cast<Py_ssize_t>(i));
  }
  if (!kwargs.is_valid()) return;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(kwargs.ptr(), &at, &key, &value) != 0;) take_keyword(text_of(key), value);
}

void Call::take_keyword(std::string_view name, nb::handle value) {
  const int parameter = signature_.find_parameter(name), of_problem = signature_.find_name(name);
  if (name == "stream" && parameter < 0 && of_problem < 0) {
    stream_ = value;
    return;
  }
  if (parameter < 0 && of_problem < 0) refuse(fmt::format("has neither an argument nor a problem value `{}`", name));
  if (parameter >= 0) {
    nb::handle& given = given_[static_cast<std::size_t>(parameter)];
    if (given.is_valid()) refuse(fmt::format("`{}` is given twice", name));
    given = value;
  } else {
    take_named(of_problem, value);
  }
}

void Call::take_named(int name, nb::handle value) {
  if (value.is_none()) return;
  const std::string& called = signature_.spec().problem[static_cast<std::size_t>(name)].name;
  if (is_text(name)) {
    if (PyUnicode_Check(value.ptr()) == 0)
      refuse(fmt::format("`{}`: expected a name (a str), got {}", called, class_of(value)));
    texts_[static_cast<std::size_t>(name)] = text_of(value);
  } else {
    bool is_large = false;
    const std::optional<std::int64_t> number = integer_of(value, is_large);
    if (!number) refuse(fmt::format("`{}`: expected an integer, got {}", called, class_of(value)));
    if (is_large) refuse(fmt::format("`{}`: expected an integer below 2^63", called));
    sizes_[static_cast<std::size_t>(name)] = *number;
  }
  known_ |= std::uint64_t{1} << name;
  by_keyword_ |= std::uint64_t{1} << name;
}

void Call::take_arrays() {
  // Integers that are sizes first, because a flat array needs them. Inputs before outputs: their shapes say more.
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!parameters_[i].is_array && parameters_[i].name >= 0 && given_[i].is_valid() && !given_[i].is_none())
      take_named(parameters_[i].name, given_[i]);
  for (const bool is_output : {false, true})
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].is_array || (parameters_[i].argument->role == Role::out) != is_output) continue;
      if (given_[i].is_valid() && given_[i].is_none()) given_[i] = {};
      if (given_[i].is_valid()) take_array(i);
    }
  // A flat array may need what a later one says.
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].is_array && given_[i].is_valid()) deduce(i);
}

void Call::read(std::size_t i) {
  const auto called = [&] {
    const nb::object dtype = nb::getattr(given_[i], "dtype", nb::none());
    return dtype.is_none() ? class_of(given_[i]) : class_of(given_[i]) + " of " + shown(dtype);
  };
  bool is_array = false;
  try {
    is_array = read_array(given_[i], of_[i]->exchange, arrays_[i], views_);
  } catch (const UsageError& error) {
    refuse(i, fmt::format("{}; got {}", error.what(), called()));
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // such as KeyboardInterrupt
    const std::string text = shown(error.value());
    refuse(i, fmt::format("{}; got {}", text.substr(0, text.find('\n')), called()));
  }
  if (!is_array) refuse(i, fmt::format("expected an array, got {}", called()));
}

void Call::take_array(std::size_t i) {
  const Parameter& parameter = parameters_[i];
  Array& array = arrays_[i];
  of_[i] = &framework_of(given_[i]);
  read(i);
  const bool is_written = parameter.argument->role != Role::in;
  if (is_written && array.is_read_only) refuse(i, "expected an array that may be written, got a read-only one");
  if (!array.is_dense && !is_written && what_ == For::operation && nb::hasattr(given_[i], "contiguous")) {
    made_.push_back(given_[i].attr("contiguous")());
    given_[i] = made_.back();
    array = Array();
    read(i);
  }
  if (!array.is_dense)
    refuse(i, fmt::format("expected a contiguous array, got {} with strides; copy it first", array.text()));
  take_device(parameter, array);
  take_type(parameter, array);
  deduce(i);
  PlanArgument& passed = arguments_[i];
  passed.kind = PlanArgument::Kind::pointer;
  passed.is_const = !is_written;
  passed.is_device = !parameter.is_on_host;
  passed.type = array.components == 1 ? array.type : std::string_view(parameter.argument->type);
  passed.count = static_cast<std::uint64_t>(array.size() / array.components);
  passed.set(array.data);
}

void Call::take_device(const Parameter& parameter, const Array& array) {
  const auto i = static_cast<std::size_t>(&parameter - parameters_.data());
  if (parameter.is_on_host) {
    if (array.device != Array::host)
      refuse(i, fmt::format("expected an array on the host, which is passed by value, got {}", array.text()));
    return;
  }
  if (parameter.may_be_pinned && array.is_pinned) return;
  if (first_on_device_ < 0) {
    first_on_device_ = static_cast<int>(i);
    device_ = array.device;
  } else if (array.device != device_) {
    refuse(i, fmt::format("expected an array on {}, where `{}` is, got {}", device_text(device_),
                          parameters_[static_cast<std::size_t>(first_on_device_)].argument->name, array.text()));
  }
}

std::string Call::first_of_type(int name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (parameters_[i].is_array && parameters_[i].name == name && given_[i].is_valid() &&
        arrays_[i].type == texts_[static_cast<std::size_t>(name)])
      return fmt::format(", as `{}` has", parameters_[i].argument->name);
  return {};
}

void Call::take_type(const Parameter& parameter, Array& array) {
  const auto i = static_cast<std::size_t>(&parameter - parameters_.data());
  if (parameter.name >= 0) {
    const auto name = static_cast<std::size_t>(parameter.name);
    if (is_known(parameter.name) && texts_[name] != array.type)
      refuse(i, fmt::format("expected {} = {}{}, got {}", signature_.spec().problem[name].name, texts_[name],
                            first_of_type(parameter.name), array.text()));
    const std::vector<std::string>& types = signature_.spec().problem[name].types;
    if (std::ranges::find(types, array.type) == types.end())
      refuse(i, fmt::format("expected {} = {}, got {}", signature_.spec().problem[name].name, fmt::join(types, ", "),
                            array.text()));
    texts_[name] = array.type;
    known_ |= std::uint64_t{1} << name;
    by_type_ |= std::uint64_t{1} << name;
  } else if (parameter.argument->type != array.type) {
    if (parameter.element != array.type)
      refuse(i, fmt::format("expected {}, got {}", parameter.argument->type, array.text()));
    array.components = parameter.components;
  }
}

void Call::set_size(std::size_t i, int name, std::int64_t value) {
  const auto place = static_cast<std::size_t>(name);
  if (!is_known(name)) {
    sizes_[place] = value;
    known_ |= std::uint64_t{1} << name;
  } else if (sizes_[place] != value && (by_keyword_ >> name & 1) == 0) {
    refuse(i, fmt::format("expected `size = {}` with {} = {}, got {}", parameters_[i].argument->size->text(),
                          signature_.spec().problem[place].name, sizes_[place], arrays_[i].text()));
  }
}

void Call::deduce(std::size_t i) {
  const Product& size = parameters_[i].size;
  const Array& array = arrays_[i];
  const std::size_t names = size.names.size();
  if (!size.is_known || names == 0) return;
  if (size.is_spelled_by(array.dimensions) && array.components == 1) {
    std::int64_t in_front = 1;
    const std::size_t first = static_cast<std::size_t>(array.dimensions) - names;
    for (std::size_t k = 0; k <= first; ++k) in_front *= array.shape[k];
    set_size(i, size.names[0], in_front);
    for (std::size_t k = 1; k < names; ++k) set_size(i, size.names[k], array.shape[first + k]);
    return;
  }
  int open = -1;
  std::int64_t known = size.factor * array.components;
  for (const int name : size.names) {
    if (is_known(name))
      known *= sizes_[static_cast<std::size_t>(name)];
    else if (open >= 0)
      return;
    else
      open = name;
  }
  if (open < 0 || known == 0) return;
  if (array.size() % known != 0)
    refuse(i, fmt::format("expected a multiple of {} elements (`size = {}`), got {}", known,
                          parameters_[i].argument->size->text(), array.text()));
  set_size(i, open, array.size() / known);
}

void Call::take_scalars(bool is_launched) {
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    if (!parameters_[i].is_array && (is_launched || given_[i].is_valid())) take_scalar(i);
}

void Call::take_scalar(std::size_t i) {
  PlanArgument& passed = arguments_[i];
  passed.kind = PlanArgument::Kind::integer;
  passed.is_signed = true;
  passed.type = "int64";
  if (!given_[i].is_valid() || given_[i].is_none()) {
    const int name = parameters_[i].name;
    if (name < 0) refuse(i, "is not given");
    if (!is_known(name)) refuse_unsaid(name);
    passed.set(sizes_[static_cast<std::size_t>(name)]);
  } else {
    take_number(i);
  }
}

void Call::take_number(std::size_t i) {
  PlanArgument& passed = arguments_[i];
  bool is_large = false;
  if (const std::optional<std::int64_t> integer = integer_of(given_[i], is_large)) {
    passed.is_signed = !is_large;
    if (is_large) passed.type = "uint64";
    passed.set(*integer);
    return;
  }
  const double value = PyFloat_AsDouble(given_[i].ptr());
  if (value == -1 && PyErr_Occurred() != nullptr) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) nb::raise_python_error();
    PyErr_Clear();
    refuse(i, fmt::format("expected a number ({}), got {}", parameters_[i].argument->type, class_of(given_[i])));
  }
  passed.kind = PlanArgument::Kind::floating;
  passed.type = "double";
  passed.set(value);
}

// Choices, and types that no array says, have their first value, as in [problem]. Sizes have no default.
void Call::fill_in() {
  const std::vector<ProblemParameter>& problem = signature_.spec().problem;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (is_known(static_cast<int>(i))) continue;
    if (!is_text(static_cast<int>(i))) refuse_unsaid(static_cast<int>(i));
    texts_[i] = problem[i].kind == ProblemKind::type ? problem[i].types.front() : problem[i].choices.front();
    known_ |= std::uint64_t{1} << i;
  }
}

bool Call::is_nothing(const Product& size) const noexcept {
  return !size.is_known ||
         std::ranges::any_of(size.names, [&](int name) { return sizes_[static_cast<std::size_t>(name)] == 0; });
}

bool Call::is_empty() const noexcept {
  bool writes = false;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!parameters_[i].is_array || parameters_[i].argument->role == Role::in) continue;
    if (arrays_[i].size() != 0 || !is_nothing(parameters_[i].size)) return false;
    writes = true;
  }
  return writes;
}

StreamHandle Call::stream() const {
  if (stream_.is_valid() && !stream_.is_none())
    return reinterpret_cast<StreamHandle>(nb::cast<std::uintptr_t>(frameworks_.handle_of(stream_)));
  if (device_ == Array::host || first_on_device_ < 0) return nullptr;
  const auto first = static_cast<std::size_t>(first_on_device_);
  if (of_[first]->exchange != nullptr) return current_stream(*of_[first]->exchange, device_);
  return reinterpret_cast<StreamHandle>(nb::cast<std::uintptr_t>(frameworks_.stream_of(given_[first])));
}

std::span<const ProblemValue> Call::values() {
  const std::vector<ProblemParameter>& problem = signature_.spec().problem;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if ((by_type_ >> i & 1) != 0) continue;  // the launch reads it off the array
    if (is_text(static_cast<int>(i)))
      values_.emplace_back(std::string_view(problem[i].name), texts_[i]);
    else
      values_.emplace_back(std::string_view(problem[i].name), sizes_[i]);
  }
  return {values_.data(), values_.size()};
}

Problem Call::problem() const {
  Problem problem;
  const std::vector<ProblemParameter>& names = signature_.spec().problem;
  for (std::size_t i = 0; i < names.size(); ++i)
    problem.set(names[i].name, is_text(static_cast<int>(i)) ? Value(texts_[i]) : Value(sizes_[i]));
  return problem;
}

}  // namespace attune::python
