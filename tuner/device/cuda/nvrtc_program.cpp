#include "device/cuda/nvrtc_program.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "base/quiet_signal.hpp"
#include "device/checked_source.hpp"
#include "device/cuda/header_pack.hpp"
#include "device/cuda/nvrtc_opened.hpp"
#include "kernel/macro_lines.hpp"

namespace attune::cuda {
namespace {

constinit CompileProgram precompiling = nullptr;

// Makes a NvrtcProgram from the request's source and checks, its headers and attune's own texts.
ProgramOwner create_program(const NvrtcLibrary& library, const ImageRequest& request) {
  const SourceText source = with_macros(request.source, request.macros);
  const ImageRequest* const only = &request;
  const std::string text = source.text + checks_after_source({&only, 1});
  std::vector<const char*> texts, names;
  for (const EmbeddedFile* const own : own_texts()) {  // literals, which end with a zero byte
    texts.push_back(own->text.data());
    names.push_back(own->file_name.data());
  }
  for (const Header& header : source.headers) {
    texts.push_back(header.text.c_str());
    names.push_back(header.name.c_str());
  }
  NvrtcProgram program = nullptr;
  const NvrtcResult result = library.api.create(&program, text.c_str(), source.name.c_str(),
                                                static_cast<int>(texts.size()), texts.data(), names.data());
  if (result != nvrtc_success) {
    throw Error(fmt::format("{} at {} made no program of {}: {}", library.name(), library.file.string(), source.name,
                            library.api.error_string(result)));
  }
  return ProgramOwner(program, DestroyProgram{&library.api});
}

// Returns the log without warnings that the prelude's macros are defined once more: libcu++ and kernels may do so. Such
// a warning has lines of its own, up to an empty one.
std::string without_own_warnings(std::string_view log) {
  constexpr std::string_view of_own = " of attune_prelude.cuh)", remark = "Remark: The warnings can be suppressed";
  std::string kept;
  while (!log.empty()) {
    const std::size_t gap = log.find("\n\n");
    const std::string_view part = log.substr(0, gap == log.npos ? gap : gap + 2);
    log.remove_prefix(part.size());
    const bool is_remark = part.starts_with(remark) && kept.find(": warning #") == kept.npos;
    const bool is_own = part.find(of_own) != part.npos && part.find(": warning #") != part.npos;
    if (!is_own && !is_remark) kept += part;
  }
  return kept;
}

std::string program_log(const NvrtcLibrary& library, NvrtcProgram program) {
  std::size_t size = 0;
  if (library.api.log_size(program, &size) != nvrtc_success || size < 2) return "";
  std::string log(size, '\0');
  if (library.api.log(program, log.data()) != nvrtc_success) return "";
  // NVRTC 13.0 puts a zero byte between ptxas's information and its errors. A C string would end there.
  std::erase(log, '\0');
  return without_own_warnings(log);
}

// If NVRTC lists no files, compiles again without asking for the list: NVRTC may not know the options for it.
CompiledProgram compile(const NvrtcLibrary& library, const ImageRequest& request,
                        const std::vector<std::string>& options, bool lists) {
  CompiledProgram compiled{create_program(library, request), nvrtc_success, "", ""};
  for (const std::string& expression : request.expressions) {
    compiled.result = library.api.add_name(compiled.program.get(), expression.c_str());
    if (compiled.result == nvrtc_success) continue;
    compiled.log = fmt::format("attune: NVRTC does not take the entry `{}`: error: {}\n", expression,
                               library.api.error_string(compiled.result));
    return compiled;
  }
  const NvrtcOpened opened;
  const QuietSignal beyond_limit(SIGXFSZ);  // of file sizes, when NVRTC writes what it opened
  std::vector<const char*> pointers;
  for (const std::string& option : options) pointers.push_back(option.c_str());
  for (const std::string& option : opened.options())
    if (lists) pointers.push_back(option.c_str());
  compiled.result = library.api.compile(compiled.program.get(), static_cast<int>(pointers.size()), pointers.data());
  compiled.opened = opened.read();
  if (lists && compiled.opened.empty()) return compile(library, request, options, false);
  compiled.log = program_log(library, compiled.program.get());
  return compiled;
}

}  // namespace

CompiledProgram compile_program(const NvrtcLibrary& library, const ImageRequest& request,
                                const std::vector<std::string>& options) {
  return compile(library, request, options, true);
}

CompileProgram precompiling_of_program() noexcept { return precompiling; }
void set_precompiling(CompileProgram compile) noexcept { precompiling = compile; }

}  // namespace attune::cuda
