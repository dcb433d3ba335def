#include "device/cuda/nvrtc_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include "attune_embedded/argument_checks.hpp"
#include "base/digest.hpp"
#include "base/user_limits.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/header_pack.hpp"
#include "device/cuda/nvrtc_advice.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "device/cuda/nvrtc_program.hpp"
#include "device/cuda/nvrtc_target.hpp"
#include "device/cuda/ptx_waits.hpp"
#include "device/cuda/ptxas_log.hpp"
#include "device/cuda/toolkit_headers.hpp"
#include "kernel/header_files.hpp"

namespace attune {
namespace {

using namespace cuda;

// The limit of static shared memory on every architecture so far; more must be dynamic.
constexpr std::uint64_t static_shared_limit = 49152;

// A define that core adds where a problem uses the type, and the header that attune.cuh then includes.
struct ToolkitType {
  const char* define;
  const char* type;
  const char* header;
};
constexpr ToolkitType toolkit_types[] = {
    {"-DATTUNE_HALF", "half", "cuda_fp16.h"},
    {"-DATTUNE_BFLOAT16", "bfloat16", "cuda_bf16.h"},
};

// Added to the options of every request. ptxas reports registers, memory and spills.
constexpr const char* resource_report = "--ptxas-options=-v";
constexpr const char* usual_standard = "-std=c++17";

CompileOutcome failure(Verdict verdict, std::string log) {
  CompileOutcome outcome;
  outcome.verdict = verdict;
  outcome.log = std::move(log);
  return outcome;
}

bool starts_with_any(const std::vector<std::string>& options, std::initializer_list<std::string_view> starts) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return std::any_of(starts.begin(), starts.end(), [&](std::string_view start) { return option.starts_with(start); });
  });
}

// Returns whether "-DATTUNE_HALF" is among the options, with or without a value.
bool defines(const std::vector<std::string>& options, std::string_view define) {
  return std::any_of(options.begin(), options.end(), [&](const std::string& option) {
    return option == define || (option.starts_with(define) && option[define.size()] == '=');
  });
}

// Adds the toolkit's folder where a type needs it. Returns the reason why the type is unavailable, or "".
std::string add_toolkit_folder(const NvrtcLibrary& library, const ImageRequest& request,
                               std::vector<std::string>& options) {
  std::vector<std::string> added;
  for (const ToolkitType& type : toolkit_types) {
    if (!defines(request.options, type.define)) continue;
    const auto folders = toolkit_include_folders(library.file);
    const auto folder = find_toolkit_header(folders, type.header);
    if (!folder) {
      std::vector<std::string> names;
      for (const auto& tried : folders) names.push_back(tried.string());
      return fmt::format(
          "the type {} needs the CUDA toolkit's header {}, which is not in {}; install the toolkit's headers "
          "(NVIDIA's package cuda-cudart-dev-{}-{}, or pip's nvidia-cuda-runtime) or set CUDA_HOME",
          type.type, type.header, fmt::join(names, ", "), library.major, library.minor);
    }
    const std::string option = "-I" + folder->string();
    if (std::find(added.begin(), added.end(), option) == added.end()) added.push_back(option);
  }
  options.insert(options.end(), added.begin(), added.end());
  return "";
}

// Returns the names of headers that a request includes and does not bring along, also by way of the header pack.
std::vector<std::string> sought_headers(const ImageRequest& request) {
  std::vector<std::string> names = outside_includes(request.source);
  const std::size_t of_source = names.size();
  for (const Header& header : header_pack())
    if (std::find(names.begin(), names.begin() + of_source, header.name) != names.begin() + of_source)
      for (std::string& name : outside_includes({header.name, header.text, {}})) names.push_back(std::move(name));
  return names;
}

// Adds the folders of the toolkit, CUB, Thrust and libcu++, where the source includes <cub/cub.cuh> or the like. They
// follow the folders of the kernel's own options.
void add_toolkit_libraries(const NvrtcLibrary& library, const ImageRequest& request,
                           std::vector<std::string>& options) {
  const auto names = sought_headers(request);
  if (names.empty()) return;
  for (const auto& folder : toolkit_include_folders(library.file)) {
    if (folder == "/usr/include") continue;  // the host's own <stdint.h> and the like do not suit kernels
    const auto parts = folders_of_toolkit(folder);
    if (std::none_of(names.begin(), names.end(), [&](const auto& name) { return find_toolkit_header(parts, name); })) {
      continue;
    }
    for (const auto& added : parts) {
      const std::string option = "-I" + added.string();
      if (std::find(options.begin(), options.end(), option) == options.end()) options.push_back(option);
    }
    return;
  }
}

CompileOutcome compile_failure(const NvrtcLibrary& library, NvrtcResult result, std::string log) {
  if (names_shared_overflow(log)) return failure(Verdict::resources, std::move(log));
  if (result == nvrtc_out_of_memory || names_lack_of_memory(log)) {
    // If the user set a limit, exceeding it is the configuration's fault; otherwise it is the machine's.
    if (compile_limit_bytes())
      return failure(Verdict::out_of_memory,
                     fmt::format("attune: {} needs more memory than ATTUNE_COMPILE_MEMORY\n{}", library.name(), log));
    return failure(
        Verdict::compile_crash,
        fmt::format("attune: {} has not enough of this machine's memory (ATTUNE_COMPILE_MEMORY, ulimit -v)\n{}",
                    library.name(), log));
  }
  const bool says_why = names_an_error(log);
  if (!says_why)
    log +=
        fmt::format("attune: {} gave up without saying why ({})\n", library.name(), library.api.error_string(result));
  const bool is_internal = result == nvrtc_internal_error && !says_why;
  return failure(is_internal ? Verdict::compile_crash : Verdict::compile_error, std::move(log));
}

// Returns the cubin, or the PTX with its final zero; empty when NVRTC does not provide it.
std::vector<std::byte> code_of(const NvrtcLibrary& library, NvrtcProgram program, bool ptx) {
  const auto get_size = ptx ? library.api.ptx_size : library.api.cubin_size;
  const auto get = ptx ? library.api.ptx : library.api.cubin;
  std::size_t size = 0;
  if (get_size(program, &size) != nvrtc_success) return {};
  std::vector<std::byte> code(size);
  if (size == 0 || get(program, reinterpret_cast<char*>(code.data())) != nvrtc_success) return {};
  return code;
}

std::string ptx_of(const NvrtcLibrary& library, NvrtcProgram program) {
  const std::vector<std::byte> ptx = code_of(library, program, true);
  return {reinterpret_cast<const char*>(ptx.data()), ptx.size()};
}

// Returns the code with its entries, or nothing when NVRTC does not provide them. The resources of PTX entries are
// unknown before loading.
std::optional<Image> collect_image(const NvrtcLibrary& library, NvrtcProgram program, const ImageRequest& request,
                                   const NvrtcTarget& target, const std::string& log) {
  Image image;
  image.architecture = target.architecture;
  image.toolchain = library.name();
  const auto usage = entries_of_log(log);
  for (const std::string& expression : request.expressions) {
    const char* symbol = nullptr;
    // An entry without a symbol is not in the source, because a literal before it is not closed.
    if (library.api.lowered_name(program, expression.c_str(), &symbol) != nvrtc_success || symbol == nullptr)
      return std::nullopt;
    ImageFunction function{expression, symbol, {}};
    if (const auto entry = usage.find(symbol); entry != usage.end()) function.usage = entry->second;
    image.functions.push_back(std::move(function));
  }
  std::vector<std::byte> code = code_of(library, program, target.is_ptx());
  if (code.empty()) return std::nullopt;
  image.code = std::make_shared<const std::vector<std::byte>>(std::move(code));
  return image;
}

// Returns an error for each entry that overlaps the launch before it but does not wait for it; "" when there is none.
std::string lacking_waits(const NvrtcLibrary& library, NvrtcProgram program, const ImageRequest& request) {
  if (request.waiting.empty()) return "";
  const std::string text = ptx_of(library, program);
  std::string lacking;
  for (const std::string& entry : request.waiting) {
    const char* symbol = nullptr;
    if (library.api.lowered_name(program, entry.c_str(), &symbol) != nvrtc_success || symbol == nullptr) continue;
    if (waits_for_previous(text, symbol)) continue;
    lacking += fmt::format(
        "{}: error: `{}` overlaps the launch before it and does not wait for it (its PTX has no griddepcontrol.wait): "
        "include attune_launch.cuh and call attune::wait_for_previous() before it touches global memory\n",
        request.source.name, entry);
  }
  return lacking;
}

// NVRTC reports which files it opened. The texts show which headers it asked for, and so where it looked in vain.
HeaderSearch search_of(const ImageRequest& request, const std::vector<std::string>& options) {
  HeaderSearch search;
  search.folders = include_folders(options);
  search.before = files_before(options);
  search.has_current_folder = true;
  search.last = header_pack();
  search.given = {{request.source.name, request.source.text}};
  for (const EmbeddedFile* const own : own_texts()) search.given.push_back({own->file_name, own->text});
  for (const Header& header : library_headers(request)) search.given.push_back({header.name, header.text});
  for (const Header& header : request.source.headers) search.given.push_back({header.name, header.text});
  return search;
}

std::vector<std::string> options_of(const NvrtcTarget& target, const ImageRequest& request) {
  std::vector<std::string> options{"--gpu-architecture=" + target.architecture, resource_report};
  if (!starts_with_any(request.options, {"-std=", "--std="})) options.push_back(usual_standard);
  for (std::string& option : options_ahead(request)) options.push_back(std::move(option));
  options.insert(options.end(), request.options.begin(), request.options.end());
  return options;
}

// A request as NVRTC gets it: with the headers that attune adds, and all options.
struct CompletedRequest {
  ImageRequest request;
  std::vector<std::string> options;
  HeaderSearch search;
  HeaderFiles files;  // found before the compile: a file that changes meanwhile is compiled again
  std::string why;    // not "": a type of the request is unavailable
};

// The request must outlive what is returned.
CompletedRequest completed(const NvrtcLibrary& library, const ImageRequest& asked, const NvrtcTarget& target) {
  CompletedRequest result{asked, options_of(target, asked), {}, {}, ""};
  std::vector<Header>& headers = result.request.source.headers;
  for (const Header& header : library_headers(asked)) headers.push_back(header);
  result.why = add_toolkit_folder(library, asked, result.options);
  if (!result.why.empty()) return result;
  add_toolkit_libraries(library, result.request, result.options);
  result.search = search_of(asked, result.options);
  result.files = header_files(result.search);
  for (const Header& header : header_pack())
    if (std::ranges::find(result.files.last_used, header.name) != result.files.last_used.end())
      headers.push_back(header);
  return result;
}

CompileOutcome success(const NvrtcLibrary& library, const CompiledProgram& compiled, CompletedRequest& asked,
                       const NvrtcTarget& target) {
  auto& [request, options, search, files, why] = asked;
  const auto& [program, result, log, opened] = compiled;
  add_opened(files, search, opened);
  CompileOutcome outcome;
  outcome.image = collect_image(library, program.get(), request, target, log);
  if (!outcome.image) {
    return failure(
        Verdict::compile_error,
        log + fmt::format(
                  "attune: {} compiled {} but gives no code for its entries: is a literal or a comment not closed?\n",
                  library.name(), request.source.name));
  }
  outcome.image->files = std::move(files.files);
  outcome.image->knows_files = files.are_all && !(opened.empty() && files.opens_by_macro);
  const bool asserts = says_serialized(log) && ptx_of(library, program.get()).find("__assertfail") != std::string::npos;
  outcome.log = files.warning + log + nvrtc_advice(log, request.ignores_host_code, asserts);
  return outcome;
}

CompileOutcome compile_one(const NvrtcLibrary& library, const ImageRequest& request, const NvrtcTarget& target,
                           HeavyHeaders headers) {
  CompletedRequest asked = completed(library, request, target);
  if (!asked.why.empty()) return failure(Verdict::compile_error, std::move(asked.why));
  const CompileProgram precompiling = precompiling_of_program();
  const CompiledProgram compiled =
      (precompiling && headers == HeavyHeaders::precompile ? precompiling : compile_program)(library, asked.request,
                                                                                             asked.options);
  const std::string& log = compiled.log;
  // Checked whatever the result, because NVRTC 12.4 accepts more on sm_90 than a block may have without opt-in.
  if (const std::string overflows = shared_overflows(log, static_shared_limit); !overflows.empty())
    return failure(Verdict::resources, overflows + log);
  if (compiled.result != nvrtc_success)
    return compile_failure(library, compiled.result, log + nvrtc_advice(log, request.ignores_host_code, false));
  if (const std::string lacking = lacking_waits(library, compiled.program.get(), request); !lacking.empty())
    return failure(Verdict::compile_error, lacking + log);
  return success(library, compiled, asked, target);
}

// Loads NVRTC at the first compile: a start from the image cache never needs it.
class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::string architecture, HeavyHeaders headers)
      : architecture_(std::move(architecture)), headers_(headers) {}

  std::vector<CompileOutcome> compile(std::span<const ImageRequest> requests) override {
    const NvrtcLibrary& library = nvrtc();
    std::vector<CompileOutcome> outcomes;
    outcomes.reserve(requests.size());
    for (const ImageRequest& request : requests) {
      const auto start = std::chrono::steady_clock::now();
      outcomes.push_back(compile_with(library, request, architecture_, headers_));
      const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
      outcomes.back().milliseconds = took.count();
    }
    return outcomes;
  }
  std::size_t preferred_batch() const noexcept override { return 1; }
  std::string toolchain() override {
    try {
      return nvrtc_target(nvrtc(), architecture_).toolchain;
    } catch (const UnknownArchitecture&) {  // reported by the compile
      return nvrtc().name();
    }
  }
  std::string target(const std::string& architecture) override {
    return nvrtc_target(nvrtc(), architecture.empty() ? architecture_ : architecture).architecture;
  }
  bool disturbs_timing() const noexcept override { return false; }  // measured on an H200 with 16 compiling threads

 private:
  const std::string architecture_;
  const HeavyHeaders headers_;
};

}  // namespace

CompileOutcome cuda::compile_with(const NvrtcLibrary& library, const ImageRequest& request,
                                  const std::string& architecture, HeavyHeaders headers) {
  try {
    return compile_one(library, request,
                       nvrtc_target(library, request.architecture.empty() ? architecture : request.architecture),
                       headers);
  } catch (const UnknownArchitecture& error) {
    return failure(Verdict::compile_error, error.what());
  } catch (const RefusedHeader& error) {
    return failure(Verdict::compile_error, error.what());
  }
}

const std::string& cuda::nvrtc_additions() {
  static_assert(attune_embedded::argument_checks.digest.size() == 64);
  static const std::string digest = [] {
    Digest added;
    added.add("NVRTC").add(resource_report).add(usual_standard).add(attune_embedded::argument_checks.digest);
    for (const EmbeddedFile* const own : own_texts()) added.add(own->file_name).add(own->digest);
    for (const Header& header : header_pack()) added.add(header.name).add(header.text);
    for (const ToolkitType& type : toolkit_types) added.add(type.define).add(type.header);
    return added.hex();
  }();
  return digest;
}

std::shared_ptr<Compiler> make_nvrtc_compiler(std::string architecture, HeavyHeaders headers) {
  return std::make_shared<NvrtcCompiler>(std::move(architecture), headers);
}

std::optional<std::string> nvrtc_version() {
  try {
    return nvrtc().name();
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace attune
