#include "device/host/translation_unit.hpp"

#include <fmt/format.h>

#include "attune_embedded/abi.hpp"
#include "attune_embedded/cuda_atomics.hpp"
#include "attune_embedded/cuda_language.hpp"
#include "attune_embedded/cuda_math.hpp"
#include "attune_embedded/cuda_vectors.hpp"
#include "attune_embedded/cuda_warps.hpp"
#include "device/host/source_rewrite.hpp"
#include "kernel/line_directive.hpp"

namespace attune {
namespace {

// A kernel file's options are for NVRTC; the host ignores those that have no meaning there. Definitions become
// directives after attune's headers, because these use names such as T or N, too.
std::string directives_of(const std::vector<std::string>& options) {
  std::string text;
  for (std::size_t i = 0; i < options.size(); ++i) {
    std::string_view option = options[i];
    const bool define = option.starts_with("-D") || option.starts_with("--define-macro=");
    const bool undefine = option.starts_with("-U") || option.starts_with("--undefine-macro=");
    if (!define && !undefine) continue;
    option.remove_prefix(option.starts_with("--") ? option.find('=') + 1 : 2);
    if (option.empty() && i + 1 < options.size()) option = options[++i];  // -D NAME
    const std::size_t equals = option.find('=');
    const std::string_view name = option.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "1" : option.substr(equals + 1);
    text += define ? fmt::format("#define {} {}\n", name, value) : fmt::format("#undef {}\n", name);
  }
  return text;
}

}  // namespace

std::string rewrite_for_host(std::string_view source, HostVariant variant) {
  return rewrite_shared_memory(source,
                               variant == HostVariant::sanitized ? SharedVariables::fenced : SharedVariables::plain);
}

std::string entry_symbol(std::size_t index) { return "attune_entry_" + std::to_string(index); }

std::map<std::string, std::size_t> number_expressions(std::span<const ImageRequest* const> requests) {
  std::map<std::string, std::size_t> numbers;
  for (const ImageRequest* const request : requests)
    for (const std::string& expression : request->expressions) numbers.emplace(expression, numbers.size());
  return numbers;
}

std::string translation_unit(const SourceText& source, const std::vector<std::string>& options,
                             const std::map<std::string, std::size_t>& entries, const std::string& checks,
                             HostVariant variant) {
  std::string text;
  for (const EmbeddedFile& part :
       {attune_embedded::abi, attune_embedded::cuda_vectors, attune_embedded::cuda_language,
        attune_embedded::cuda_warps, attune_embedded::cuda_atomics, attune_embedded::cuda_math})
    text += fmt::format("{}{}\n", line_directive(part.file_name), part.text);
  text += line_directive("options") + directives_of(options);
  text += fmt::format("{}{}\n{}\n{}", line_directive(source.name), rewrite_for_host(source.text, variant), checks,
                      line_directive("entries"));
  for (const auto& [expression, index] : entries) {
    // The entry of a variable returns its address and its size in bytes.
    const std::string body =
        expression.starts_with('&')
            ? fmt::format("attune_parameters[0] = (void*){0}; attune_parameters[1] = (void*)sizeof(*{0});", expression)
            : fmt::format("::attune_host::attune_invoke(&{}, attune_parameters);", expression);
    text += fmt::format(
        "extern \"C\" __attribute__((visibility(\"default\"))) void {}(void** attune_parameters) {{ {} }}\n",
        entry_symbol(index), body);
  }
  return text;
}

}  // namespace attune
