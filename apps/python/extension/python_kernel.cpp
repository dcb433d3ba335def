#include "python_kernel.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "attune/error.hpp"
#include "attune/kernel_files.hpp"
#include "attune/match.hpp"
#include "attune/tune.hpp"
#include "spec/kernel_file.hpp"

namespace nb = nanobind;

namespace attune::python {
namespace {

nb::object object_of(const Value& value) {
  if (value.is_name()) return nb::cast(value.name());
  return nb::cast(value.integer());
}

nb::dict dict_of(const Bindings& bindings) {
  nb::dict dict;
  for (const Binding& one : bindings) dict[one.name.c_str()] = object_of(one.value);
  return dict;
}

Problem problem_from(nb::dict given) {
  Problem problem;
  for (const auto& [name, value] : given)
    problem.set(nb::cast<std::string>(name), nb::isinstance<nb::str>(value) ? Value(nb::cast<std::string>(value))
                                                                            : Value(nb::cast<std::int64_t>(value)));
  return problem;
}

}  // namespace

PythonKernel::PythonKernel(const std::string& name_or_file, nb::object make)
    : given_(name_or_file),
      spec_(load_kernel(name_or_file)),
      bundle_(kernel_bundle(spec_, name_or_file)),
      signature_(spec_),
      make_(std::move(make)) {}

Dispatcher& PythonKernel::on(const std::string& device) {
  const std::lock_guard lock(guard_);
  std::unique_ptr<Dispatcher>& known = dispatchers_[device];
  if (!known) {
    auto made = std::make_unique<Dispatcher>(DispatcherOptions{.device = device});
    made->add(bundle_);
    known = std::move(made);
  }
  return *known;
}

nb::list PythonKernel::arguments() const {
  constexpr std::pair<Role, const char*> roles[] = {
      {Role::in, "in"}, {Role::out, "out"}, {Role::inout, "inout"}, {Role::scalar, "scalar"}};
  nb::list list;
  for (const Signature::Parameter& one : signature_.parameters()) {
    nb::dict entry;
    entry["name"] = one.argument->name;
    entry["type"] = one.argument->type;
    for (const auto& [role, text] : roles)
      if (role == one.argument->role) entry["role"] = text;
    if (one.argument->size) entry["size"] = one.argument->size->text();
    list.append(entry);
  }
  return list;
}

nb::dict PythonKernel::problem() const {
  nb::dict dict;
  for (const ProblemParameter& one : spec_.problem) {
    const std::vector<std::string>& names = one.kind == ProblemKind::type ? one.types : one.choices;
    if (names.empty())
      dict[one.name.c_str()] = one.default_value ? nb::cast(*one.default_value) : nb::none();
    else
      dict[one.name.c_str()] = nb::cast(names);
  }
  return dict;
}

nb::dict PythonKernel::match(const std::string& device, nb::dict problem) {
  const Problem wanted = problem_from(problem);
  std::optional<Match> found;
  {
    nb::gil_scoped_release released;
    found = on(device).match(spec_.name, wanted);
  }
  nb::dict dict;
  dict["rung"] = std::string(to_text(found->rung));
  dict["why"] = found->why;
  dict["configuration"] = dict_of(found->configuration);
  dict["speedup"] = found->speedup;
  dict["source"] = found->source;
  return dict;
}

nb::dict PythonKernel::tune(const std::string& device, nb::dict problem, const std::string& effort, nb::dict options) {
  const Problem wanted = problem_from(problem);
  TuneOptions terms;
  if (options.contains("seconds")) terms.seconds = nb::cast<double>(options["seconds"]);
  if (options.contains("trials")) terms.trials = nb::cast<std::int64_t>(options["trials"]);
  if (options.contains("worker")) terms.executable = nb::cast<std::string>(options["worker"]);
  std::stop_source stop;
  terms.stop = stop.get_token();
  nb::object progress = options.contains("progress") ? nb::object(options["progress"]) : nb::none();
  terms.progress = [&](const TuneProgress& so_far) {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) {
      PyErr_Clear();
      stop.request_stop();
    }
    if (!progress.is_none()) progress(so_far.trials, so_far.default_ns, so_far.best_ns);
  };
  std::optional<TuneResult> result;
  {
    nb::gil_scoped_release released;
    Dispatcher& gpu = on(device);
    result = attune::tune(gpu, spec_, wanted, effort_from_text(effort), terms);
    gpu.refresh();
  }
  nb::dict dict;
  dict["end"] = std::string(to_text(result->end));
  dict["configuration"] = result->configuration ? nb::object(dict_of(*result->configuration)) : nb::none();
  dict["median_ns"] = result->median_ns;
  dict["default_ns"] = result->default_ns;
  dict["speedup"] = result->speedup;
  dict["trials"] = result->trials;
  dict["explanation"] = result->explanation;
  return dict;
}

nb::object PythonKernel::launch(nb::tuple args, nb::dict kwargs, std::uintptr_t stream) {
  const Call call(signature_, args, kwargs, make_);
  {
    nb::gil_scoped_release released;
    Dispatcher& gpu = on(device_name(call.device()));
    gpu.plan(spec_.name, call.problem()).launch_arguments(reinterpret_cast<StreamHandle>(stream), call.arguments());
  }
  return call.outputs();
}

nb::tuple PythonKernel::problem_of(nb::tuple args, nb::dict kwargs) {
  const Call call(signature_, args, kwargs, make_);
  return nb::make_tuple(device_name(call.device()), dict_of(call.problem()));
}

}  // namespace attune::python
