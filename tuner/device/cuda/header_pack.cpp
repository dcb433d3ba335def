#include "device/cuda/header_pack.hpp"

#include <algorithm>
#include <string_view>

#include "attune_embedded/attune.hpp"
#include "attune_embedded/attune_algorithms.hpp"
#include "attune_embedded/attune_host_code.hpp"
#include "attune_embedded/attune_integers.hpp"
#include "attune_embedded/attune_libraries.hpp"
#include "attune_embedded/attune_limits.hpp"
#include "attune_embedded/attune_prelude.hpp"
#include "attune_embedded/attune_standard.hpp"

namespace attune::cuda {
namespace {

constexpr const EmbeddedFile* texts[] = {&attune_embedded::attune,
                                         &attune_embedded::attune_prelude,
                                         &attune_embedded::attune_integers,
                                         &attune_embedded::attune_limits,
                                         &attune_embedded::attune_standard,
                                         &attune_embedded::attune_host_code,
                                         &attune_embedded::attune_algorithms,
                                         &attune_embedded::attune_libraries};

// Names, separated by blanks.
using Names = std::string_view;

// What kernels use of these NVRTC or the prelude declares; what host code uses stands in attune_host_code.cuh.
constexpr Names empty_headers =
    "assert.h cassert cctype cerrno chrono cstdarg cstddef ctime ctype.h cuda.h cuda_profiler_api.h cuda_runtime.h "
    "cuda_runtime_api.h device_launch_parameters.h errno.h exception fstream getopt.h iomanip iostream malloc.h map "
    "math.h memory omp.h random set sstream stdarg.h stdbool.h stddef.h stdexcept stdio.h stdlib.h string string.h "
    "strings.h sys/stat.h sys/time.h sys/types.h time.h unistd.h unordered_map vector";

// Headers that are an #include of one of the texts.
struct FromText {
  Names headers;
  const EmbeddedFile* text;
};
constexpr FromText from_texts[] = {
    {"cinttypes cstdint inttypes.h stdint.h", &attune_embedded::attune_integers},
    {"cfloat climits float.h limits.h", &attune_embedded::attune_limits},
    {"cmath cstdio cstdlib cstring", &attune_embedded::attune_standard},
};
constexpr FromText of_libraries = {"cublas.h cublasLt.h cublas_api.h cublas_v2.h curand.h",
                                   &attune_embedded::attune_libraries};

// Headers of C++ of which the toolkit's libcu++ has what kernels use. All of its names would make `abs` and its like
// ambiguous where a file is `using namespace std`.
struct FromToolkit {
  std::string_view header;
  Names names;
};
constexpr FromToolkit from_toolkit[] = {
    {"array", "array"},
    {"complex", "complex"},
    {"functional",
     "bit_and bit_or bit_xor divides equal_to greater greater_equal less less_equal minus modulus multiplies negate "
     "not_equal_to plus"},
    {"iterator", "advance distance next prev"},
    {"limits", "numeric_limits"},
    {"numeric", "gcd lcm"},
    {"optional", "nullopt optional"},
    {"tuple", "get make_tuple tie tuple"},
    {"type_traits",
     "bool_constant common_type common_type_t conditional conditional_t decay decay_t enable_if enable_if_t false_type "
     "integral_constant is_arithmetic is_arithmetic_v is_base_of is_base_of_v is_class is_class_v is_const is_const_v "
     "is_convertible is_convertible_v is_enum is_enum_v is_floating_point is_floating_point_v is_integral "
     "is_integral_v is_pointer is_pointer_v is_same is_same_v is_signed is_signed_v is_trivially_copyable "
     "is_trivially_copyable_v is_unsigned is_unsigned_v is_void is_void_v make_signed make_signed_t make_unsigned "
     "make_unsigned_t remove_const remove_const_t remove_cv remove_cv_t remove_pointer remove_pointer_t "
     "remove_reference remove_reference_t true_type underlying_type underlying_type_t void_t"},
    {"utility", "declval exchange index_sequence integer_sequence make_index_sequence make_pair pair"},
};

template <typename Visit>
void for_each_name(Names names, const Visit& visit) {
  while (!names.empty()) {
    const std::string name(names.substr(0, names.find(' ')));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    visit(name);
  }
}

std::string included(const EmbeddedFile& text) { return "#include \"" + std::string(text.file_name) + "\"\n"; }

// Where host code is ignored, ATTUNE_CALLS is defined.
std::string algorithms() { return "#ifdef ATTUNE_CALLS\n" + included(attune_embedded::attune_algorithms) + "#endif\n"; }

void add(std::vector<Header>& headers, const FromText& from) {
  for_each_name(from.headers, [&](const std::string& name) { headers.push_back({name, included(*from.text)}); });
}

std::string text_of(const FromToolkit& from) {
  const std::string header = "<cuda/std/" + std::string(from.header) + ">";
  std::string text = "#if __has_include(" + header + ")\n#include " + header + "\nnamespace std {\n";
  for_each_name(from.names, [&](const std::string& name) { text += "using cuda::std::" + name + ";\n"; });
  return text + "}\n#endif\n" + (from.header == "numeric" ? algorithms() : "");
}

}  // namespace

std::span<const EmbeddedFile* const> own_texts() { return texts; }

std::vector<std::string> options_ahead(const ImageRequest& request) {
  const auto ahead = [](const EmbeddedFile& text) { return "--pre-include=" + std::string(text.file_name); };
  std::vector<std::string> options{ahead(attune_embedded::attune_prelude)};
  if (!request.ignores_host_code) return options;
  options.push_back(ahead(attune_embedded::attune_host_code));
  options.push_back("-default-device");
  return options;
}

const std::vector<Header>& header_pack() {
  static const std::vector<Header> pack = [] {
    std::vector<Header> headers{{"algorithm", included(attune_embedded::attune_standard) + algorithms()}};
    for_each_name(empty_headers, [&](const std::string& name) { headers.push_back({name, ""}); });
    for (const FromText& from : from_texts) add(headers, from);
    for (const FromToolkit& from : from_toolkit) headers.push_back({std::string(from.header), text_of(from)});
    return headers;
  }();
  return pack;
}

const std::vector<Header>& library_headers(const ImageRequest& request) {
  static const std::vector<Header> none;
  static const std::vector<Header> libraries = [] {
    std::vector<Header> headers;
    add(headers, of_libraries);
    return headers;
  }();
  return request.ignores_host_code ? libraries : none;
}

}  // namespace attune::cuda
