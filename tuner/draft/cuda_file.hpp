// What a CUDA file declares and launches, as far as a kernel file can be begun with it. Plain data; pure.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace attune::draft {

using Texts = std::vector<std::string>;

struct TemplateParameter {
  std::string type;  // "typename", attune's name of a type of values, or "" for any other
  std::string name;
  std::string default_value;  // as written; "": none
};

struct FunctionParameter {
  std::string name;  // "": it has none
  std::string type;  // without const, pointers and the like: "unsigned int", "Vec<T>"
  int pointers = 0;  // an array counts as one
  bool is_const = false;
};

struct KernelFunction {
  std::string name;  // qualified: "image::blur"
  std::vector<TemplateParameter> template_parameters;
  std::vector<FunctionParameter> parameters;
  std::string launch_bound;  // the threads of __launch_bounds__
  Texts code;                // the texts of its tokens
  Texts reached;             // these, and those of the file's functions that it calls; see with_helpers()
  bool mentions(std::string_view word) const;  // in what is reached
};

// What names were last set to: variables, types (`using real = float`), macros. A dim3 has one text for each dimension.
// `&NAME` are the bytes that were allocated for an array. `++NAME` is there for the counter of a loop.
using Definitions = std::map<std::string, Texts, std::less<>>;

// NAME<TEMPLATE_ARGUMENTS><<<GRID, BLOCK, SHARED>>>(ARGUMENTS), as written.
struct Launch {
  std::string kernel;  // its last name, without name spaces
  Texts template_arguments;
  Texts grid, block;  // a text for each dimension
  std::string shared;
  Texts arguments;
  Definitions locals;  // of its function
};

struct CudaFile {
  std::vector<KernelFunction> kernels;
  std::vector<Launch> launches;
  Definitions definitions;                   // of the whole file
  Texts macros;                              // those of them that are macros
  std::map<std::string, Texts> helpers;      // code of functions for the device and of macros with arguments
  std::set<std::string, std::less<>> words;  // all, outside of directives
  bool has_host_code = false;                // main(), <<<, or calls of the CUDA runtime
  std::string hidden_by;                     // a macro that holds `__global__`; "": there is none
};

// Reads a text, whatever it is. Text under `#if 0`, in comments and in strings does not count.
CudaFile read_cuda_file(std::string_view text);

// Returns the kernel with all that it reaches: its code, and that of the helpers that it names or that they name.
KernelFunction with_helpers(const CudaFile& file, KernelFunction kernel);

// Returns the last part of a qualified name.
std::string_view last_name(std::string_view name);

}  // namespace attune::draft
