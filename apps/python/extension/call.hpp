// Call: the arguments of one launch, as Python gave them, in the order in which a plan takes them.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <vector>

#include "array.hpp"
#include "attune/kernel_spec.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "shapes.hpp"

namespace attune::python {

// What an application passes of a kernel: its arrays and its scalars without those that attune makes. Made once.
class Signature {
 public:
  struct Parameter {
    const Argument* argument = nullptr;
    Product size;          // of an array
    bool is_type = false;  // its type is a name of [problem]
  };
  explicit Signature(const KernelSpec& spec);
  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  const KernelSpec& spec() const noexcept { return spec_; }

 private:
  const KernelSpec& spec_;
  std::vector<Parameter> parameters_;
};

// Makes the arrays that a caller left out: like(array, shape, type) of the module `cuattune._frameworks`.
using MakeArray = nanobind::object;

class Call {
 public:
  // Reads arguments in the order of [arguments], or by name; names of [problem] by keyword. Throws UsageError, which
  // names the argument, what was expected and what was given.
  Call(const Signature& signature, nanobind::tuple args, nanobind::dict kwargs, const MakeArray& make);

  const Problem& problem() const noexcept { return problem_; }
  std::span<const PlanArgument> arguments() const noexcept { return arguments_; }
  int device() const noexcept { return device_; }
  // Returns the arrays with role "out": nothing, one, or a tuple.
  nanobind::object outputs() const;

 private:
  void take_arrays();
  void take_scalars();
  void make_outputs(const MakeArray& make);
  void check_sizes() const;
  void take_problem();
  Array array(const Signature::Parameter& parameter, nanobind::handle given);
  [[noreturn]] void refuse(const Signature::Parameter& parameter, const std::string& why) const;

  const Signature& signature_;
  std::vector<nanobind::object> given_;  // one a parameter; none: left out
  std::vector<std::optional<Array>> arrays_;
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, std::string> names_;  // types and choices
  std::vector<PlanArgument> arguments_;
  Problem problem_;
  int device_ = Array::host;
  bool has_device_ = false;
};

}  // namespace attune::python
