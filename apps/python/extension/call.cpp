#include "call.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "core/type_table.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

bool is_passed(const Argument& argument) {
  return argument.role != Role::scratch && argument.role != Role::map && !argument.value;
}

std::string type_of_object(nb::handle object) { return nb::cast<std::string>(nb::str(nb::type_name(object.type()))); }

void set_integer(PlanArgument& argument, nb::handle given) {
  argument.kind = PlanArgument::Kind::integer;
  argument.is_signed = true;
  argument.type = "int64";
  argument.set(nb::cast<std::int64_t>(given));
}

void set_floating(PlanArgument& argument, nb::handle given) {
  argument.kind = PlanArgument::Kind::floating;
  argument.type = "double";
  argument.set(nb::cast<double>(given));
}

}  // namespace

Signature::Signature(const KernelSpec& spec) : spec_(spec) {
  for (const Argument& argument : spec.arguments) {
    if (!is_passed(argument)) continue;
    const ProblemParameter* const type = spec.find_problem(argument.type);
    parameters_.push_back({&argument, argument.size ? product_of(argument.size->text()) : Product(),
                           type != nullptr && type->kind == ProblemKind::type});
  }
}

Call::Call(const Signature& signature, nb::tuple args, nb::dict kwargs, const MakeArray& make)
    : signature_(signature), given_(signature.parameters().size()), arrays_(given_.size()), arguments_(given_.size()) {
  if (args.size() > given_.size())
    throw UsageError(fmt::format("{} takes {} arguments, and {} are given", signature.spec().name, given_.size(), args.size()));
  for (std::size_t i = 0; i < args.size(); ++i) given_[i] = nb::borrow(args[i]);
  for (const auto& [key, value] : kwargs) {
    const auto name = nb::cast<std::string>(key);
    const auto place = std::ranges::find_if(signature.parameters(), [&](const auto& one) { return one.argument->name == name; });
    const ProblemParameter* const of_problem = signature.spec().find_problem(name);
    if (place != signature.parameters().end()) {
      nb::object& given = given_[static_cast<std::size_t>(place - signature.parameters().begin())];
      if (given.is_valid()) throw UsageError(fmt::format("{}: `{}` is given twice", signature.spec().name, name));
      given = nb::borrow(value);
    }
    if (of_problem == nullptr && place == signature.parameters().end())
      throw UsageError(fmt::format("{} has neither an argument nor a problem value `{}`", signature.spec().name, name));
    if (of_problem == nullptr) continue;
    if (of_problem->kind == ProblemKind::type || of_problem->kind == ProblemKind::choice)
      names_[name] = nb::cast<std::string>(value);
    else
      sizes_[name] = nb::cast<std::int64_t>(value);
  }
  take_arrays();
  take_scalars();
  make_outputs(make);
  take_problem();
  check_sizes();
}

void Call::refuse(const Signature::Parameter& parameter, const std::string& why) const {
  throw UsageError(fmt::format("{}: argument `{}`: {}", signature_.spec().name, parameter.argument->name, why));
}

Array Call::array(const Signature::Parameter& parameter, nb::handle given) {
  const std::optional<Array> array = array_of(given);
  if (!array) refuse(parameter, fmt::format("expected an array, got {}", type_of_object(given)));
  const bool is_written = parameter.argument->role != Role::in;
  if (is_written && array->is_read_only) refuse(parameter, "expected an array that may be written, got a read-only one");
  if (!array->is_dense) refuse(parameter, "expected a contiguous array, got one with strides");
  if (has_device_ && array->device != device_)
    refuse(parameter, fmt::format("expected an array on {}, got {}", device_ == Array::host ? "the host" : fmt::format("cuda:{}", device_), array->text()));
  has_device_ = true;
  device_ = array->device;
  if (parameter.is_type) {
    const auto [name, is_new] = names_.emplace(parameter.argument->type, array->type);
    if (!is_new && name->second != array->type)
      refuse(parameter, fmt::format("expected {} = {}, got {}", name->first, name->second, array->text()));
  } else if (parameter.argument->type != array->type) {
    refuse(parameter, fmt::format("expected {}, got {}", parameter.argument->type, array->text()));
  }
  if (std::string wrong = deduce(parameter.size, array->extents(), sizes_); !wrong.empty())
    refuse(parameter, fmt::format("expected `size = {}`, got {}: {}", parameter.argument->size->text(), array->text(), wrong));
  return *array;
}

void Call::take_arrays() {
  const auto& parameters = signature_.parameters();
  // Inputs first: their shapes say more than those of arrays that are about to be written.
  for (const bool is_input : {true, false})
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Role role = parameters[i].argument->role;
      if (!is_array(role) || (role != Role::out) != is_input || !given_[i].is_valid() || given_[i].is_none()) continue;
      arrays_[i] = array(parameters[i], given_[i]);
    }
}

void Call::take_scalars() {
  const auto& parameters = signature_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].argument->role != Role::scalar) continue;
    const std::string& name = parameters[i].argument->name;
    const ProblemParameter* const of_problem = signature_.spec().find_problem(name);
    if (given_[i].is_valid() && of_problem != nullptr) {
      const auto value = nb::cast<std::int64_t>(given_[i]);
      const auto [known, is_new] = sizes_.emplace(name, value);
      if (!is_new && known->second != value)
        refuse(parameters[i], fmt::format("expected {}, which the arrays say, got {}", known->second, value));
    }
    if (!given_[i].is_valid()) continue;
    nb::isinstance<nb::float_>(given_[i]) ? set_floating(arguments_[i], given_[i]) : set_integer(arguments_[i], given_[i]);
  }
}

void Call::make_outputs(const MakeArray& make) {
  const auto& parameters = signature_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Argument& argument = *parameters[i].argument;
    if (argument.role != Role::out || arrays_[i]) continue;
    // An input of the same size gives shape and framework.
    std::size_t like = parameters.size(), any = parameters.size();
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (!arrays_[k] || parameters[k].argument->role == Role::out) continue;
      if (any == parameters.size()) any = k;
      if (like == parameters.size() && parameters[k].argument->size->text() == argument.size->text()) like = k;
    }
    if (any == parameters.size()) refuse(parameters[i], "no array is given that says where to allocate it");
    nb::list shape;
    if (like != parameters.size()) {
      for (const std::int64_t extent : arrays_[like]->extents()) shape.append(extent);
    } else {
      std::int64_t elements = parameters[i].size.constant;
      for (const std::string& name : parameters[i].size.names) {
        const auto known = sizes_.find(name);
        if (known == sizes_.end()) refuse(parameters[i], fmt::format("`size = {}` needs `{}`: give it by keyword, or the array", argument.size->text(), name));
        shape.append(known->second);
        elements *= known->second;
      }
      if (!parameters[i].size.is_known)
        refuse(parameters[i], fmt::format("attune does not deduce `size = {}`: give the array", argument.size->text()));
    }
    std::string type = argument.type;
    if (parameters[i].is_type) {
      const auto known = names_.find(argument.type);
      if (known == names_.end()) refuse(parameters[i], fmt::format("its type {} is not known: give it by keyword", argument.type));
      type = known->second;
    }
    given_[i] = make(given_[like != parameters.size() ? like : any], nb::tuple(shape), type);
    arrays_[i] = array(parameters[i], given_[i]);
  }
}

void Call::take_problem() {
  for (const ProblemParameter& one : signature_.spec().problem) {
    const bool is_text = one.kind == ProblemKind::type || one.kind == ProblemKind::choice;
    if (is_text) {
      const auto known = names_.find(one.name);
      if (known != names_.end()) problem_.set(one.name, Value(known->second));
      else if (one.kind == ProblemKind::choice) problem_.set(one.name, Value(one.choices.front()));
      else problem_.set(one.name, Value(one.types.front()));
    } else {
      const auto known = sizes_.find(one.name);
      if (known == sizes_.end()) throw UsageError(fmt::format("{}: the arrays do not say `{}`: give it by keyword", signature_.spec().name, one.name));
      problem_.set(one.name, Value(known->second));
    }
  }
  const auto& parameters = signature_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    PlanArgument& argument = arguments_[i];
    if (arrays_[i]) {
      argument.kind = PlanArgument::Kind::pointer;
      argument.is_const = parameters[i].argument->role == Role::in;
      argument.is_device = true;
      argument.type = arrays_[i]->type;
      argument.count = static_cast<std::uint64_t>(arrays_[i]->size());
      argument.set(arrays_[i]->data);
    } else if (parameters[i].argument->role == Role::scalar && !given_[i].is_valid()) {
      const auto known = sizes_.find(parameters[i].argument->name);
      if (known == sizes_.end()) refuse(parameters[i], "it is not given");
      argument.kind = PlanArgument::Kind::integer;
      argument.is_signed = true;
      argument.type = "int64";
      argument.set(known->second);
    } else if (is_array(parameters[i].argument->role)) {
      refuse(parameters[i], "it is not given");
    }
  }
}

void Call::check_sizes() const {
  const auto& parameters = signature_.parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!arrays_[i]) continue;
    const std::int64_t wanted = parameters[i].argument->size->integer(Scope{.problem = &problem_}, "size");
    if (arrays_[i]->size() < wanted)
      refuse(parameters[i], fmt::format("expected {} elements (`size = {}`), got {}", wanted, parameters[i].argument->size->text(), arrays_[i]->text()));
  }
}

nb::object Call::outputs() const {
  nb::list outputs;
  for (std::size_t i = 0; i < given_.size(); ++i)
    if (signature_.parameters()[i].argument->role == Role::out) outputs.append(given_[i]);
  if (outputs.size() == 0) return nb::none();
  if (outputs.size() == 1) return nb::borrow(outputs[0]);
  return nb::tuple(outputs);
}

}  // namespace attune::python
