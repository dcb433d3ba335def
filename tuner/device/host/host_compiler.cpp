#include "device/host/host_compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "attune/error.hpp"
#include "attune_embedded/argument_checks.hpp"
#include "base/digest.hpp"
#include "base/trusted_environment.hpp"
#include "base/user_limits.hpp"
#include "device/checked_source.hpp"
#include "device/host/compiler_end.hpp"
#include "device/host/compiler_messages.hpp"
#include "device/host/compiler_process.hpp"
#include "device/host/headers_beside.hpp"
#include "device/host/include/abi.hpp"
#include "device/host/opened_files.hpp"
#include "device/host/sanitizer.hpp"
#include "device/host/source_files.hpp"
#include "device/host/static_shared.hpp"
#include "device/host/timing_gate.hpp"
#include "device/host/translation_unit.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

// Symbols are hidden and not unique, because two loaded objects must not share a template's static. Kernels rely on
// wrapping overflow (wrapv) and on no strict aliasing. Contraction is off, so that results have the same bits as
// separate operations. Null pointer checks and accesses through null stay, because they are faults to report. Device
// code has no exceptions. O1: switching threads dominates a launch, and instantiations compile a third faster than with
// O2.
constexpr const char* compiler_flags[] = {"-std=c++20",
                                          "-O1",
                                          "-fPIC",
                                          "-fvisibility=hidden",
                                          "-fno-gnu-unique",
                                          "-fno-exceptions",
                                          "-fno-strict-aliasing",
                                          "-fwrapv",
                                          "-ffp-contract=off",
                                          "-ffunction-sections",
                                          "-fno-delete-null-pointer-checks",
                                          "-w",
                                          "-Wno-psabi",  // a note about parameters that are aligned like a tensor map
                                          "-fdiagnostics-color=never"};

std::vector<std::string> flags_of_the_user() {
  return words_in(trusted_environment("ATTUNE_HOST_CXXFLAGS").value_or("").c_str());
}

// Reads a file that the compiler was to make.
std::vector<std::byte> read_file(const fs::path& path) {
  std::error_code unknown;
  if (!fs::is_regular_file(path, unknown))
    throw Error(fmt::format(
        "the compiler ended without an error, but did not make the file {}; check what ATTUNE_HOST_CXX names",
        path.filename().string()));
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string sanitize_option() { return "-fsanitize=" + sanitizers().text(); }

bool same_unit(const ImageRequest& a, const ImageRequest& b) {
  const auto equal_header = [](const Header& x, const Header& y) { return x.name == y.name && x.text == y.text; };
  return a.source.text == b.source.text && a.macros == b.macros && a.options == b.options &&
         std::equal(a.source.headers.begin(), a.source.headers.end(), b.source.headers.begin(), b.source.headers.end(),
                    equal_header);
}

CompileOutcome failure(Verdict verdict, std::string log) {
  CompileOutcome outcome;
  outcome.verdict = verdict;
  outcome.log = std::move(log);
  return outcome;
}

}  // namespace

std::string host_image_architecture() {
#if defined(__aarch64__)
  constexpr const char* machine = "aarch64";
#else
  constexpr const char* machine = "x86_64";
#endif
  // A sanitized image loads only in a sanitized process.
  const std::string sanitized = sanitizers().any() ? "-" + sanitizers().text() : "";
  return fmt::format("host-{}-{}{}", machine, attune_host::host_abi_version, sanitized);
}

std::string host_additions() {
  // A small translation unit represents all that is added to a source: the text before it, the options, the entries.
  static const std::string own = [] {
    Digest added;
    for (const char* const flag : compiler_flags) added.add(flag);
    const SourceText sample{"sample.cu", "__shared__ int a[4]; extern __shared__ int b[];", {}};
    added.add(translation_unit(sample, {"-DN=1", "-UN"}, {{"&v", 0}, {"f", 1}}, "", HostVariant::plain));
    for (const EmbeddedHeader& header : headers_beside()) added.add(header.name).add(header.text);
    return added.add(attune_embedded::argument_checks.digest).hex();
  }();
  return fmt::format("{} {} {} {}", host_image_architecture(), own, fmt::join(flags_of_the_user(), " "),
                     folder_variables());
}

const HostTool& HostCompiler::tool() {
  const std::lock_guard lock(mutex_);
  if (!tool_) tool_ = find_host_tool();
  return *tool_;
}

std::string HostCompiler::toolchain() {
  return sanitizers().any() ? tool().version + " " + sanitize_option() : tool().version;
}

std::vector<CompileOutcome> HostCompiler::compile(std::span<const ImageRequest> requests) {
  tool();
  std::vector<CompileOutcome> outcomes(requests.size());
  std::vector<bool> done(requests.size(), false);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (done[i]) continue;
    std::vector<const ImageRequest*> group;
    std::vector<std::size_t> places;
    for (std::size_t j = i; j < requests.size() && group.size() < preferred_batch(); ++j) {
      if (done[j] || !same_unit(requests[i], requests[j])) continue;
      group.push_back(&requests[j]);
      places.push_back(j);
      done[j] = true;
    }
    std::vector<CompileOutcome> made = compile_together(group);
    for (std::size_t k = 0; k < places.size(); ++k) outcomes[places[k]] = std::move(made[k]);
  }
  return outcomes;
}

namespace {

// The result of one run of the compiler for a group of requests.
struct BuildResult {
  CompileOutcome failed;  // verdict ok when it succeeded
  std::map<std::string, std::size_t> entries;
  std::map<std::string, std::uint64_t> shared;  // by symbol
  HeaderFiles files;
  std::shared_ptr<const std::vector<std::byte>> code;
  std::string log;
};

// If the user set a limit, exceeding it is the configuration's fault; otherwise it is the machine's.
CompileOutcome memory_failure(const std::string& source, const std::string& log) {
  if (compile_limit_bytes())
    return failure(Verdict::out_of_memory,
                   fmt::format("{}: the compiler needs more memory than ATTUNE_COMPILE_MEMORY\n{}", source, log));
  return failure(Verdict::compile_crash,
                 fmt::format("{}: the compiler has not enough of this machine's memory; raise its limits (ulimit -v, "
                             "ulimit -d), or end other programs\n{}",
                             source, log));
}

// Runs the compiler once. Throws Error when the folder has no room for its files. Returns false, with the reason in
// `built`, when it fails.
bool run_step(const std::vector<std::string>& command, const fs::path& place, TimeLimit limit, const SourceText& source,
              BuildResult& built) {
  ProcessResult result = run_process(command, place, limit);
  if (is_ended_by_limit(result)) result = run_process(command, place, limit);
  if (is_ended_by_limit(result))
    throw Error(fmt::format("the compiler was ended twice: {}\n{}", processor_limit_advice(), result.output));
  built.log += result.output;
  if (!result.timed_out && is_out_of_room(result, place))
    throw Error(
        fmt::format("the compiler has no room for its files in {}; make room, or name another folder for "
                    "temporary files with TMPDIR\n{}",
                    place.string(), result.output));
  if (result.timed_out) {
    built.failed = failure(Verdict::compile_timeout, fmt::format("{}: the compiler was stopped after {} s\n{}",
                                                                 source.name, limit.seconds, built.log));
  } else if (is_out_of_memory(result)) {
    built.failed = memory_failure(source.name, built.log);
  } else if (crashed(result)) {
    built.failed =
        failure(Verdict::compile_crash, fmt::format("{}: the compiler crashed (signal {}, exit code {})\n{}",
                                                    source.name, result.signal, result.exit_code, built.log));
  } else if (result.exit_code != 0) {
    built.failed = failure(Verdict::compile_error, messages_of(source, built.log));
  }
  return built.failed.verdict == Verdict::ok;
}

// With these flags reports name lines of the kernel, and the first mistake ends the process. Overflow of signed
// integers is a mistake here, though it wraps without sanitizers. The check vptr is off, because it needs run-time type
// information of the program.
std::vector<std::string> sanitize_flags(const fs::path& place) {
  return {sanitize_option(),
          "-fno-sanitize-recover=all",
          "-fno-sanitize=vptr",
          "-fno-wrapv",
          "-g",
          "-fno-omit-frame-pointer",
          "-fdebug-prefix-map=" + place.string() + "=."};
}

// A kernel's own headers and the folders of its options may have names of the system's headers, such as "math.h", which
// attune's own headers need: in <...> the system's win.
std::vector<std::string> command_for(const std::vector<std::string>& compiler, const fs::path& folder,
                                     const std::vector<std::string>& options, HostVariant variant) {
  std::vector<std::string> command = compiler;
  command.insert(command.end(), std::begin(compiler_flags), std::end(compiler_flags));
  // clang makes no unique symbols, and does not accept the option against them.
  if (compiler.back().find("clang") != std::string::npos) std::erase(command, "-fno-gnu-unique");
  command.insert(command.end(), {"-iquote", (folder / source_place).string(), "-I", (folder / own_place).string(),
                                 "-idirafter", (folder / after_place).string()});
  for (const std::string& named : include_folders(options)) command.insert(command.end(), {"-idirafter", named});
  if (variant == HostVariant::sanitized)
    for (std::string& flag : sanitize_flags(folder / source_place)) command.push_back(std::move(flag));
  for (std::string& word : flags_of_the_user()) command.push_back(std::move(word));
  return command;
}

// Checks whether the source compiles without instantiations. `failed` holds the reason otherwise.
BuildResult check_source(const std::vector<std::string>& compiler, const ImageRequest& request, TimeLimit limit) {
  BuildResult built;
  const TemporaryFolder folder;
  const fs::path place = folder.path() / source_place;
  write_sources(folder.path(), request, {}, "", HostVariant::plain);
  std::vector<std::string> command = command_for(compiler, folder.path(), request.options, HostVariant::plain);
  command.insert(command.end(), {"-fsyntax-only", "kernel.cpp"});
  run_step(command, place, limit, request.source, built);
  return built;
}

std::vector<std::string> folders_of(const ImageRequest& request) {
  return named_folders(request.options, flags_of_the_user());
}

struct Files {
  std::vector<std::byte> object, shared_object;
};

// Returns nothing, with the reason in `built`, when compiler or linker fail.
std::optional<Files> build_files(const std::vector<std::string>& compiler,
                                 std::span<const ImageRequest* const> requests, TimeLimit limit, HostVariant variant,
                                 BuildResult& built) {
  const ImageRequest& request = *requests.front();
  const TemporaryFolder folder;
  const fs::path place = folder.path() / source_place;
  write_sources(folder.path(), request, built.entries, checks_after_source(requests), variant);
  std::vector<std::string> compile = command_for(compiler, folder.path(), request.options, variant), link = compile;
  // Besides the object, the compiler writes the list of the files that it opened.
  compile.insert(compile.end(), {"-c", "kernel.cpp", "-o", "kernel.o", "-MD", "-MF", "opened"});
  link.insert(link.end(), {"-shared", "kernel.o", "-o", "kernel.so", "-Wl,--as-needed"});
  // A function without a definition is an error here already, not at load time. (Sanitizers need the program's
  // symbols.)
  const bool sanitized =
      std::any_of(link.begin(), link.end(), [](const std::string& word) { return word.starts_with("-fsanitize"); });
  if (!sanitized) link.push_back("-Wl,-z,defs");
  for (const auto& step : {compile, link})
    if (!run_step(step, place, limit, request.source, built)) return std::nullopt;
  const std::vector<std::byte> opened = read_file(place / "opened");
  add_opened_files(built.files, {reinterpret_cast<const char*>(opened.data()), opened.size()}, folders_of(request),
                   folder.path());
  return Files{read_file(place / "kernel.o"), read_file(place / "kernel.so")};
}

// Throws RefusedHeader.
BuildResult build(const std::vector<std::string>& compiler, std::span<const ImageRequest* const> requests,
                  TimeLimit limit) {
  BuildResult built;
  built.entries = number_expressions(requests);
  // Made before the compile, so that a file that changes meanwhile is compiled again.
  built.files = expected_files(*requests.front(), folders_of(*requests.front()));
  std::optional<Files> files = build_files(compiler, requests, limit, HostVariant::plain, built);
  if (!files) return built;
  std::vector<std::string> symbols;
  for (const auto& [expression, index] : built.entries) symbols.push_back(entry_symbol(index));
  // Taken from the plain code, because sanitized code has other sizes.
  built.shared = static_shared_bytes(files->object, symbols, "current_thread_pointer");
  if (sanitizers().any()) files = build_files(compiler, requests, limit, HostVariant::sanitized, built);
  if (files) built.code = std::make_shared<const std::vector<std::byte>>(std::move(files->shared_object));
  return built;
}

CompileOutcome outcome_of(const ImageRequest& request, const BuildResult& built, const std::string& toolchain,
                          std::uint64_t shared_limit) {
  Image image;
  image.architecture = host_image_architecture();
  image.toolchain = toolchain;
  image.code = built.code;
  image.files = built.files.files;
  image.knows_files = built.files.are_all;
  for (const std::string& expression : request.expressions) {
    ImageFunction function;
    function.expression = expression;
    function.symbol = entry_symbol(built.entries.at(expression));
    function.usage.shared_static = built.shared.at(function.symbol);
    if (function.usage.shared_static > shared_limit)
      return failure(
          Verdict::resources,
          fmt::format("{}: {} has {} bytes of static shared memory; at most {} compile, more must be dynamic",
                      request.source.name, expression, function.usage.shared_static, shared_limit));
    image.functions.push_back(std::move(function));
  }
  CompileOutcome outcome;
  outcome.log = built.files.warning + built.log;
  outcome.image = std::move(image);
  return outcome;
}

}  // namespace

TimeLimit HostCompiler::limit(std::size_t images) const {
  if (user_seconds_) return *user_seconds_ * static_cast<double>(images);
  return {default_compile_limit_seconds, true};
}

std::vector<CompileOutcome> HostCompiler::compile_together(std::span<const ImageRequest* const> requests) {
  const auto begin = std::chrono::steady_clock::now();
  BuildResult built;
  CompileOutcome source;  // failed: the source itself is at fault, or every run of the compiler takes too long
  {
    const CompilingNow turn;
    try {
      built = build(tool().command, requests, limit(requests.size()));
    } catch (const RefusedHeader& refused) {
      source = built.failed = failure(Verdict::compile_error, refused.what());
    }
    // If one cause makes all requests fail, this costs two runs instead of one for each request.
    if (built.failed.verdict != Verdict::ok && source.verdict == Verdict::ok && requests.size() > 1)
      source = check_source(tool().command, *requests.front(), limit(1)).failed;
  }
  const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - begin;
  const double each = taken.count() / static_cast<double>(requests.size());
  std::vector<CompileOutcome> outcomes;
  if (built.failed.verdict == Verdict::ok) {
    for (const ImageRequest* const request : requests)
      outcomes.push_back(outcome_of(*request, built, toolchain(), DeviceInfo{}.shared_static_limit));
  } else if (requests.size() == 1) {
    outcomes.push_back(built.failed);
  } else if (source.verdict != Verdict::ok && source.verdict != Verdict::compile_crash) {
    outcomes.assign(requests.size(), source);
  } else {
    // One request is at fault: compiles the halves, down to that request alone, so that the others succeed.
    const std::size_t half = requests.size() / 2;
    outcomes = compile_together(requests.first(half));
    for (CompileOutcome& outcome : compile_together(requests.subspan(half))) outcomes.push_back(std::move(outcome));
    return outcomes;
  }
  for (CompileOutcome& outcome : outcomes) outcome.milliseconds = each;
  return outcomes;
}

std::shared_ptr<Compiler> make_host_compiler() { return std::make_shared<HostCompiler>(); }

}  // namespace attune
