// PythonKernel: a kernel file, launched on arrays of Python. An edited file is noticed.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "attune/bundle.hpp"
#include "attune/dispatcher.hpp"
#include "attune/kernel_spec.hpp"
#include "call.hpp"
#include "signature.hpp"

namespace attune::python {

// How a kernel is dispatched: DispatcherOptions and Policy.
struct KernelOptions {
  Policy policy = Policy::background;
  DispatcherOptions dispatcher;  // its device is each array's
};

// A kernel on one device. Its dispatcher knows this kernel alone, so that two files may name their kernels alike.
struct KernelOnDevice {
  KernelOnDevice(const DispatcherOptions& options, const Bundle& bundle);
  Dispatcher dispatcher;
  std::optional<Kernel> kernel;  // none: it has more names in [problem] than launches by look-up take
};

// One state of the file, and what was opened for it. Any thread.
class LoadedKernel {
 public:
  // Throws what load_kernel() throws.
  LoadedKernel(const std::string& name_or_file, const KernelOptions& options);

  const KernelSpec& spec() const noexcept { return spec_; }
  const Signature& signature() const noexcept { return signature_; }
  // Whether a file that was read has changed since.
  bool is_stale() const;
  // Opens the device (-1: the host) at its first use.
  KernelOnDevice& on(int device);
  std::vector<KernelOnDevice*> opened();
  // After fork() in the child: leaves what the parent opened as it is.
  void forget_devices();

 private:
  struct Devices {
    std::mutex guard;
    std::optional<Bundle> bundle;  // made for the first device, because it takes up to 0.2 s
    std::map<int, std::unique_ptr<KernelOnDevice>> by_device;
  };
  const std::string target_;
  const KernelOptions& options_;
  std::vector<std::filesystem::path> files_;
  const KernelSpec spec_;
  const Signature signature_;
  std::vector<std::filesystem::file_time_type> times_;  // of files_
  std::unique_ptr<Devices> devices_ = std::make_unique<Devices>();
};

// All functions are called with the GIL held, and release it while they work.
class PythonKernel {
 public:
  PythonKernel(const std::string& name_or_file, Frameworks frameworks, KernelOptions options);
  ~PythonKernel();
  PythonKernel(const PythonKernel&) = delete;
  PythonKernel& operator=(const PythonKernel&) = delete;

  const KernelSpec& spec();
  nanobind::list arguments();  // of dictionaries: name, type, role, size, and how its shape follows
  nanobind::dict problem();    // name -> default, or the list of types or choices

  // Launches, and returns the outputs. `copies`: inputs with strides are copied, where their framework can. Throws what
  // Call, Dispatcher and Kernel throw.
  nanobind::object launch(nanobind::handle args, nanobind::handle kwargs, bool copies);
  // Loads or compiles the best configuration for these arrays, and waits.
  void prepare(nanobind::handle args, nanobind::handle kwargs);
  // Returns what a launch for a problem uses, and why.
  nanobind::dict match(const std::string& device, nanobind::dict problem);
  // Returns (device, problem) of a call that is not made.
  nanobind::tuple problem_of(nanobind::handle args, nanobind::handle kwargs);
  // Takes up what was tuned since.
  void refresh();
  Device& device(const std::string& name);
  // Returns the nanoseconds of one Plan::launch() with these arguments, the mean of `launches`: what calls are compared
  // with (tests/bench/python).
  double plan_launch_ns(nanobind::handle args, nanobind::handle kwargs, int launches);

  // For the end of the interpreter, and for the child of a fork().
  static void close_all();
  static void forget_all_devices();

 private:
  std::shared_ptr<LoadedKernel> current();
  const std::string target_;
  const Frameworks frameworks_;
  const KernelOptions options_;
  std::shared_ptr<LoadedKernel> loaded_;
  std::int64_t looked_at_ms_ = 0;
};

}  // namespace attune::python
