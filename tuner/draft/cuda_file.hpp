// What a CUDA file declares and launches, as far as a kernel file can be begun with it. Plain data; pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace attune::draft {

struct TemplateParameter {
  enum class Kind { type, integer, boolean, other };
  Kind kind = Kind::other;
  std::string name;
  std::string default_value;  // as written; "": none
};

struct FunctionParameter {
  std::string name;  // "": it has none
  std::string type;  // without const, pointers and the like: "unsigned int", "Vec<T>"
  int pointers = 0;  // an array counts as one
  bool is_const = false;
};

struct Kernel {
  std::string name;  // qualified: "image::blur"
  std::size_t line = 1;
  std::vector<TemplateParameter> template_parameters;
  std::vector<FunctionParameter> parameters;
  std::vector<std::string> launch_bounds;
  std::vector<std::string> declaration, body;  // the texts of its tokens
  bool mentions(std::string_view word) const;
};

// An integer that the whole file may use.
struct Constant {
  std::string name;
  std::string value;  // as written
  bool is_macro = false;
};

// A host function's local variables: what they were last set to. A dim3 has one text for each dimension. `&NAME` are
// the bytes that were allocated for an array.
using Locals = std::map<std::string, std::vector<std::string>, std::less<>>;

// NAME<TEMPLATE_ARGUMENTS><<<GRID, BLOCK, SHARED>>>(ARGUMENTS), as written.
struct Launch {
  std::string kernel;  // its last name, without name spaces
  std::vector<std::string> template_arguments;
  std::string grid, block, shared;
  std::vector<std::string> arguments;
  Locals locals;
};

struct CudaFile {
  std::vector<Kernel> kernels;
  std::vector<Constant> constants;
  std::map<std::string, std::string, std::less<>> aliases;  // names of types: `using real = float`
  std::vector<Launch> launches;
  bool has_host_code = false;  // main(), <<<, or calls of the CUDA runtime
  std::string hidden_by;       // a macro with arguments that holds `__global__`; "": there is none
};

// Reads a text, whatever it is. Text under `#if 0`, in comments and in strings does not count.
CudaFile read_cuda_file(std::string_view text);

// Returns the last part of a qualified name.
std::string_view last_name(std::string_view name);

}  // namespace attune::draft
