// PythonKernel: a kernel file, launched on arrays of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "attune/bundle.hpp"
#include "attune/dispatcher.hpp"
#include "attune/kernel_spec.hpp"
#include "call.hpp"

namespace attune::python {

class PythonKernel {
 public:
  // Loads a built-in kernel by its name, or a file by its path. Throws what load_kernel() throws.
  PythonKernel(const std::string& name_or_file, nanobind::object make);

  const std::string& name() const noexcept { return spec_.name; }
  const std::string& summary() const noexcept { return spec_.summary; }
  nanobind::list arguments() const;  // of dictionaries: name, type, role, size
  nanobind::dict problem() const;    // name -> default, or the list of types or choices

  // Launches on the stream of a framework; returns the outputs.
  nanobind::object launch(nanobind::tuple args, nanobind::dict kwargs, std::uintptr_t stream);
  // Returns what a launch for a problem uses, and why: rung, why, configuration, speedup.
  nanobind::dict match(const std::string& device, nanobind::dict problem);
  // Returns (device, problem) of a call that is not made.
  nanobind::tuple problem_of(nanobind::tuple args, nanobind::dict kwargs);
  nanobind::dict tune(const std::string& device, nanobind::dict problem, const std::string& effort,
                      nanobind::dict options);

 private:
  // Returns the dispatcher of "host" or "cuda:N" that knows this kernel alone, so that two files may have one name.
  Dispatcher& on(const std::string& device);
  const std::string given_;
  const KernelSpec spec_;
  const Bundle bundle_;
  const Signature signature_;
  const nanobind::object make_;
  std::mutex guard_;
  std::map<std::string, std::unique_ptr<Dispatcher>> dispatchers_;  // by device
};

}  // namespace attune::python
