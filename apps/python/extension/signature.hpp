// Signature: what the arguments of a kernel file say to a caller in Python: what is passed, which sizes and types
// follow from the arrays, and what shape an output has. Made once a kernel, read-only then.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune::python {

// The size of an array as a product of names of [problem]: "2 * rows * columns". The names stand for the last
// dimensions of the array; the first of them has all dimensions in front. Where the array has fewer dimensions, or
// there is a factor, the one name that is not known yet has the rest.
struct Product {
  bool is_known = false;  // false: the size is another expression
  std::int64_t factor = 1;
  std::vector<int> names;  // places in [problem]

  // Reads an expression's text. `spec` knows the names.
  static Product of(const std::string& text, const KernelSpec& spec);
  // Whether the last dimensions of such a shape are the names.
  bool is_spelled_by(int dimensions) const noexcept {
    return factor == 1 && dimensions >= static_cast<int>(names.size());
  }
};

struct Parameter {
  const Argument* argument = nullptr;
  bool is_array = false;
  int name = -1;        // the place in [problem] of a scalar, or of an array's type; -1: none
  std::string element;  // arrays: the type of an element, a component for vector types; "": [problem] says
  std::int64_t components = 1;
  Product size;             // arrays
  int like = -1;            // role "out": the input of the same size, whose shape it takes
  bool is_on_host = false;  // passed by value: it may lie on the host while the kernel runs on a GPU
  bool may_be_pinned = false;
};

class Signature {
 public:
  static constexpr std::size_t most_parameters = 32, most_names = 32;

  // `spec` must outlive it. Throws UsageError for more parameters or names than it takes.
  explicit Signature(const KernelSpec& spec);
  const KernelSpec& spec() const noexcept { return spec_; }
  // What a caller passes, in the order of [arguments]: without scratch, maps, computed values, and what only tuning
  // uses.
  std::span<const Parameter> parameters() const noexcept { return parameters_; }
  std::size_t arrays() const noexcept { return arrays_; }  // among the parameters
  // Returns the place; -1: there is none.
  int find_parameter(std::string_view name) const noexcept;
  int find_name(std::string_view name) const noexcept;

 private:
  const KernelSpec& spec_;
  std::vector<Parameter> parameters_;
  std::size_t arrays_ = 0;
};

}  // namespace attune::python
