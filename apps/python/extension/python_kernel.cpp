#include "python_kernel.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <time.h>

#include <charconv>
#include <set>

#include "attune/error.hpp"
#include "attune/kernel_files.hpp"
#include "attune/match.hpp"
#include "bindings.hpp"
#include "kernel/role_names.hpp"
#include "spec/kernel_file.hpp"

namespace nb = nanobind;
namespace fs = std::filesystem;

namespace attune::python {
namespace {

constexpr std::int64_t between_looks_ms = 500;  // at the times of the files

std::set<PythonKernel*> all_kernels;  // under the GIL
bool is_closed = false;               // the interpreter ends
bool has_opened_cuda = false;
bool is_forked_from_cuda = false;

// Good to some milliseconds, in a fifth of the time that an exact clock takes.
std::int64_t coarse_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

std::string device_name(int device) { return device == Array::host ? "host" : fmt::format("cuda:{}", device); }

int device_of(const std::string& name) {
  if (name == "host") return Array::host;
  if (name == "cuda" || name.empty()) return 0;
  int ordinal = -1;
  const char* end = nullptr;
  if (name.starts_with("cuda:")) end = std::from_chars(name.data() + 5, name.data() + name.size(), ordinal).ptr;
  if (ordinal < 0 || end != name.data() + name.size())
    throw UsageError(fmt::format("`{}` is no device: expected \"host\", \"cuda\" or \"cuda:N\"", name));
  return ordinal;
}

std::vector<fs::file_time_type> times_of(const std::vector<fs::path>& files) {
  std::vector<fs::file_time_type> times;
  for (const fs::path& file : files) {
    std::error_code gone;
    times.push_back(fs::last_write_time(file, gone));
  }
  return times;
}

}  // namespace

KernelOnDevice::KernelOnDevice(const DispatcherOptions& options, const Bundle& bundle) : dispatcher(options) {
  dispatcher.add(bundle);
}

LoadedKernel::LoadedKernel(const std::string& name_or_file, const KernelOptions& options)
    : target_(name_or_file),
      options_(options),
      spec_(load_kernel(name_or_file, &files_)),
      signature_(spec_),
      times_(times_of(files_)) {}

bool LoadedKernel::is_stale() const { return !files_.empty() && times_of(files_) != times_; }

KernelOnDevice& LoadedKernel::on(int device) {
  const std::lock_guard lock(devices_->guard);
  std::unique_ptr<KernelOnDevice>& known = devices_->by_device[device];
  if (known) return *known;
  if (device != Array::host && is_forked_from_cuda)
    throw UsageError(spec_.name +
                     ": this process was forked from one that used CUDA, which CUDA does not survive; start it "
                     "by the method \"spawn\" (multiprocessing.get_context(\"spawn\"))");
  DispatcherOptions options = options_.dispatcher;
  options.device = device_name(device);
  if (!devices_->bundle) devices_->bundle = kernel_bundle(spec_, target_);
  auto opened = std::make_unique<KernelOnDevice>(options, *devices_->bundle);
  if (spec_.problem.size() <= 8) opened->kernel = opened->dispatcher.kernel(spec_.name, options_.policy);
  if (device != Array::host) has_opened_cuda = true;
  known = std::move(opened);
  return *known;
}

std::vector<KernelOnDevice*> LoadedKernel::opened() {
  const std::lock_guard lock(devices_->guard);
  std::vector<KernelOnDevice*> all;
  for (const auto& [device, one] : devices_->by_device)
    if (one) all.push_back(one.get());
  return all;
}

void LoadedKernel::forget_devices() {
  devices_.release();  // its threads and its context are the parent's
  devices_ = std::make_unique<Devices>();
}

PythonKernel::PythonKernel(const std::string& name_or_file, Frameworks frameworks, KernelOptions options)
    : target_(name_or_file),
      frameworks_(std::move(frameworks)),
      options_(std::move(options)),
      loaded_(std::make_shared<LoadedKernel>(target_, options_)),
      looked_at_ms_(coarse_ms()) {
  all_kernels.insert(this);
}

PythonKernel::~PythonKernel() {
  all_kernels.erase(this);
  const nb::gil_scoped_release released;
  loaded_.reset();
}

std::shared_ptr<LoadedKernel> PythonKernel::current() {
  if (is_closed) throw Error(target_ + ": the interpreter is ending");
  if (!loaded_) throw Error(target_ + ": the interpreter is ending");
  const std::int64_t now = coarse_ms();
  if (now - looked_at_ms_ < between_looks_ms) return loaded_;
  if (loaded_->is_stale()) {
    std::shared_ptr<LoadedKernel> former = std::make_shared<LoadedKernel>(target_, options_);
    former.swap(loaded_);
    const nb::gil_scoped_release released;
    former.reset();  // waits for its launches
  }
  looked_at_ms_ = now;
  return loaded_;
}

const KernelSpec& PythonKernel::spec() { return current()->spec(); }

nb::list PythonKernel::arguments() {
  const std::shared_ptr<LoadedKernel> kernel = current();
  nb::list list;
  for (const Parameter& one : kernel->signature().parameters()) {
    nb::dict entry;
    entry["name"] = one.argument->name;
    entry["type"] = one.argument->type;
    entry["role"] = std::string(role_names[one.argument->role]);
    if (one.is_array) {
      nb::list names;
      for (const int name : one.size.names) names.append(kernel->spec().problem[static_cast<std::size_t>(name)].name);
      entry["size"] = one.argument->size->text();
      entry["names"] = one.size.is_known ? nb::object(names) : nb::none();
      entry["factor"] = one.size.factor;
      entry["components"] = one.components;
      entry["like"] = one.like >= 0 ? nb::cast(one.like) : nb::none();
      entry["is_on_host"] = one.is_on_host;
    }
    list.append(entry);
  }
  return list;
}

nb::dict PythonKernel::problem() {
  const std::shared_ptr<LoadedKernel> kernel = current();
  nb::dict dict;
  for (const ProblemParameter& one : kernel->spec().problem) {
    const std::vector<std::string>& names = one.kind == ProblemKind::type ? one.types : one.choices;
    if (names.empty())
      dict[one.name.c_str()] = one.default_value ? nb::cast(*one.default_value) : nb::none();
    else
      dict[one.name.c_str()] = nb::cast(names);
  }
  return dict;
}

nb::object PythonKernel::launch(nb::handle args, nb::handle kwargs, bool copies) {
  const std::shared_ptr<LoadedKernel> kernel = current();
  Call call(kernel->signature(), args, kwargs, frameworks_, copies ? Call::For::operation : Call::For::launch);
  if (call.is_empty()) return call.outputs();
  const StreamHandle stream = call.stream();
  {
    const nb::gil_scoped_release released;
    KernelOnDevice& device = kernel->on(call.device());
    if (device.kernel)
      device.kernel->launch_arguments(stream, call.values(), call.arguments());
    else
      device.dispatcher.plan(kernel->spec().name, call.problem(), options_.policy)
          .launch_arguments(stream, call.arguments());
  }
  return call.outputs();
}

void PythonKernel::prepare(nb::handle args, nb::handle kwargs) {
  const std::shared_ptr<LoadedKernel> kernel = current();
  const Call call(kernel->signature(), args, kwargs, frameworks_, Call::For::problem);
  const Problem problem = call.problem();
  const nb::gil_scoped_release released;
  kernel->on(call.device()).dispatcher.prepare(kernel->spec().name, std::span(&problem, 1));
}

nb::dict PythonKernel::match(const std::string& device, nb::dict given) {
  const std::shared_ptr<LoadedKernel> kernel = current();
  const Problem problem = problem_from(given);
  std::optional<Match> found;
  {
    const nb::gil_scoped_release released;
    found = kernel->on(device_of(device)).dispatcher.match(kernel->spec().name, problem);
  }
  return dict_of(*found);
}

nb::tuple PythonKernel::problem_of(nb::handle args, nb::handle kwargs) {
  const std::shared_ptr<LoadedKernel> kernel = current();
  const Call call(kernel->signature(), args, kwargs, frameworks_, Call::For::problem);
  return nb::make_tuple(device_name(call.device()), dict_of(call.problem()));
}

void PythonKernel::refresh() {
  const std::shared_ptr<LoadedKernel> kernel = current();
  const nb::gil_scoped_release released;
  for (KernelOnDevice* const one : kernel->opened()) one->dispatcher.refresh();
}

double PythonKernel::plan_launch_ns(nb::handle args, nb::handle kwargs, int launches) {
  using Clock = std::chrono::steady_clock;
  const std::shared_ptr<LoadedKernel> kernel = current();
  const Call call(kernel->signature(), args, kwargs, frameworks_, Call::For::launch);
  const StreamHandle stream = call.stream();
  const nb::gil_scoped_release released;
  const Plan plan = kernel->on(call.device()).dispatcher.plan(kernel->spec().name, call.problem(), options_.policy);
  const auto begin = Clock::now();
  for (int i = 0; i < launches; ++i) plan.launch_arguments(stream, call.arguments());
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / launches;
}

Device& PythonKernel::device(const std::string& name) {
  const std::shared_ptr<LoadedKernel> kernel = current();
  const nb::gil_scoped_release released;
  return *kernel->on(device_of(name)).dispatcher.device();
}

void PythonKernel::close_all() {
  is_closed = true;
  std::vector<std::shared_ptr<LoadedKernel>> closing;
  for (PythonKernel* const one : all_kernels) closing.push_back(std::move(one->loaded_));
  const nb::gil_scoped_release released;
  closing.clear();
}

void PythonKernel::forget_all_devices() {
  is_forked_from_cuda = is_forked_from_cuda || has_opened_cuda;
  for (PythonKernel* const one : all_kernels) one->loaded_->forget_devices();
}

}  // namespace attune::python
