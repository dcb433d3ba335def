// Call: the arguments of one launch, as Python gave them, in the order in which a launch takes them. On the stack of
// one call, under the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "array.hpp"
#include "attune/kernel.hpp"
#include "attune/plan.hpp"
#include "signature.hpp"

namespace attune::python {

// The functions of Python that a call needs where a framework has no C functions: cuattune/_frameworks.py.
struct Frameworks {
  nanobind::object make_array;  // (like, shape, type) -> array
  nanobind::object stream_of;   // (array) -> int
  nanobind::object handle_of;   // (stream object) -> int
};

class Call {
 public:
  // What the arguments are read for.
  enum class For {
    problem,   // no array need be there
    launch,    // outputs that are left out are made
    operation  // and inputs with strides are copied, where their framework can
  };
  // Reads arguments in the order of [arguments], with or without outputs and sizes, or by name; names of [problem] and
  // `stream` by keyword. Throws UsageError, which names the argument, what was expected and what was given.
  Call(const Signature& signature, nanobind::handle args, nanobind::handle kwargs, const Frameworks& frameworks,
       For what);

  // -1: the host.
  int device() const noexcept { return device_; }
  StreamHandle stream() const;
  // Whether all arrays that the kernel writes have no elements: nothing is launched.
  bool is_empty() const noexcept;
  std::span<const PlanArgument> arguments() const noexcept { return {arguments_.data(), arguments_.size()}; }
  // What arrays and keywords say of the problem, for a launch. It refers to this object.
  std::span<const ProblemValue> values();
  Problem problem() const;
  // Returns the arrays with role "out": None, one, or a tuple.
  nanobind::object outputs() const;

 private:
  static constexpr std::size_t usual = 8;  // parameters, and names: no more allocate
  void take(nanobind::handle args, nanobind::handle kwargs);
  void take_keyword(std::string_view name, nanobind::handle value);
  void take_named(int name, nanobind::handle value);
  void take_arrays();
  void take_array(std::size_t i);
  void read(std::size_t i);
  void take_device(const Parameter& parameter, const Array& array);
  void take_type(const Parameter& parameter, Array& array);
  std::string first_of_type(int name) const;
  void deduce(std::size_t i);
  void set_size(std::size_t i, int name, std::int64_t value);
  void take_scalars(bool is_launched);
  void take_scalar(std::size_t i);
  void take_number(std::size_t i);
  bool is_nothing(const Product& size) const noexcept;
  void make_outputs();
  std::span<const std::int64_t> extents_in_front(int name) const;
  void refuse_other_size(std::size_t i) const;
  nanobind::object made_output(std::size_t i) const;
  std::vector<std::int64_t> shape_of(std::size_t output) const;
  void fill_in();
  bool is_text(int name) const noexcept;
  bool is_known(int name) const noexcept { return (known_ >> name & 1) != 0; }
  [[noreturn]] void refuse(std::size_t i, const std::string& why) const;
  [[noreturn]] void refuse(const std::string& why) const;
  [[noreturn]] void refuse_unsaid(int name) const;

  const Signature& signature_;
  const std::span<const Parameter> parameters_;
  const Frameworks& frameworks_;
  const For what_;
  // One for each parameter.
  boost::container::small_vector<nanobind::handle, usual> given_;
  boost::container::small_vector<const Framework*, usual> of_;  // frameworks of arrays
  boost::container::small_vector<Array, usual> arrays_;
  boost::container::small_vector<PlanArgument, usual> arguments_;
  // One for each name of [problem].
  boost::container::small_vector<std::int64_t, usual> sizes_;
  boost::container::small_vector<std::string_view, usual> texts_;
  // A bit for each name of [problem].
  std::uint64_t known_ = 0, by_keyword_ = 0, by_type_ = 0;
  boost::container::small_vector<ProblemValue, usual> values_;
  std::vector<nanobind::object> made_;
  Views views_;
  nanobind::handle stream_;
  int device_ = Array::host;
  int first_on_device_ = -1;  // the array that says where the kernel runs
};

}  // namespace attune::python
