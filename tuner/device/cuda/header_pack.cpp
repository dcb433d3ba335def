#include "device/cuda/header_pack.hpp"

#include <algorithm>
#include <string_view>

#include "attune_embedded/attune.hpp"
#include "attune_embedded/attune_host_code.hpp"
#include "attune_embedded/attune_libraries.hpp"
#include "attune_embedded/attune_limits.hpp"
#include "attune_embedded/attune_prelude.hpp"
#include "attune_embedded/attune_standard.hpp"

namespace attune::cuda {
namespace {

constexpr const EmbeddedFile* texts[] = {&attune_embedded::attune,           &attune_embedded::attune_prelude,
                                         &attune_embedded::attune_limits,    &attune_embedded::attune_standard,
                                         &attune_embedded::attune_host_code, &attune_embedded::attune_libraries};

// Names of headers, separated by blanks. Empty ones: what kernels use of them NVRTC or the prelude declares; what host
// code uses stands in attune_host_code.cuh.
constexpr std::string_view empty_headers =
    "assert.h cassert cctype cerrno chrono cinttypes cstdarg cstddef cstdint ctime ctype.h cuda.h cuda_profiler_api.h "
    "cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h errno.h exception fstream getopt.h inttypes.h "
    "iomanip "
    "iostream malloc.h map math.h memory omp.h random set sstream stdarg.h stdbool.h stddef.h stdexcept stdint.h "
    "stdio.h stdlib.h string string.h strings.h sys/stat.h sys/time.h sys/types.h time.h unistd.h unordered_map vector";
constexpr std::string_view limits_headers = "cfloat climits float.h limits.h";
constexpr std::string_view standard_headers = "algorithm cmath cstdio cstdlib cstring";
// The toolkit's libcu++ has these for device code.
constexpr std::string_view libcudacxx_headers =
    "array complex functional iterator limits numeric optional tuple type_traits utility";
constexpr std::string_view host_libraries = "cublas.h cublasLt.h cublas_api.h cublas_v2.h curand.h";

template <typename TextOf>
void add_headers(std::vector<Header>& headers, std::string_view names, const TextOf& text_of) {
  while (!names.empty()) {
    const std::string name(names.substr(0, names.find(' ')));
    names.remove_prefix(std::min(name.size() + 1, names.size()));
    headers.push_back({name, text_of(name)});
  }
}

std::string included(std::string_view name) { return "#include \"" + std::string(name) + "\"\n"; }

std::string from_toolkit(const std::string& name) {
  const std::string header = "<cuda/std/" + name + ">";
  return "#if __has_include(" + header + ")\n#include " + header +
         "\nnamespace std {\nusing namespace cuda::std;\n}\n#endif\n";
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
    std::vector<Header> headers;
    add_headers(headers, empty_headers, [](const std::string&) { return std::string(); });
    add_headers(headers, limits_headers,
                [](const std::string&) { return included(attune_embedded::attune_limits.file_name); });
    add_headers(headers, standard_headers,
                [](const std::string&) { return included(attune_embedded::attune_standard.file_name); });
    add_headers(headers, libcudacxx_headers, from_toolkit);
    return headers;
  }();
  return pack;
}

const std::vector<Header>& library_headers(const ImageRequest& request) {
  static const std::vector<Header> none;
  static const std::vector<Header> libraries = [] {
    std::vector<Header> headers;
    add_headers(headers, host_libraries,
                [](const std::string&) { return included(attune_embedded::attune_libraries.file_name); });
    return headers;
  }();
  return request.ignores_host_code ? libraries : none;
}

}  // namespace attune::cuda
