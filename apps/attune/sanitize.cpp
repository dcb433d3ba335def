#include "sanitize.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "device/host/compiler_process.hpp"
#include "device/host/sanitizer_runtimes.hpp"
#include "put_text.hpp"
#include "stop_requests.hpp"
#include "worker/process/worker_guard.hpp"
#include "worker/process/worker_processes.hpp"

namespace attune::cli {
namespace {

// How long a killed process is waited for.
constexpr double seconds_after_kill = 60;

// ---- The process ----

// Options of the runtimes. Leaks are no mistake of a kernel, and two loaded objects may have the same variables.
// LeakSanitizer's handling of thread-local storage crashes g++ 12's runtime.
constexpr const char* address_options =
    "detect_leaks=0:detect_odr_violation=0:detect_stack_use_after_return=0:intercept_tls_get_addr=0:"
    "allocator_may_return_null=1:handle_sigill=1:handle_sigfpe=1:color=never:exitcode=1";
constexpr const char* undefined_options = "print_stacktrace=1:color=never:exitcode=1";

std::string report_in(const std::filesystem::path& folder) { return (folder / "report").string(); }

// The user's own options come later, and win.
std::string with_own(const std::string& options, const char* variable) {
  const char* const own = std::getenv(variable);
  return own == nullptr ? options : options + ":" + own;
}

std::map<std::string, std::string> environment_of(const Sanitizers& sanitizers, const std::filesystem::path& folder) {
  std::string preload;
  for (const std::string& path : sanitizer_runtimes(sanitizers)) preload += (preload.empty() ? "" : ":") + path;
  const std::string report = report_in(folder);
  return {
      {"LD_PRELOAD", with_own(preload, "LD_PRELOAD")},
      {"TMPDIR", folder.string()},  // removed with the leftovers of a process that ends early
      {worker_mark, folder.string()},
      {"ATTUNE_SANITIZE", sanitizers.text()},
      {"ATTUNE_SANITIZE_REPORT", report},
      {"ASAN_OPTIONS", with_own(address_options, "ASAN_OPTIONS")},
      {"UBSAN_OPTIONS", fmt::format("{}:log_path=\"{}\"", with_own(undefined_options, "UBSAN_OPTIONS"), report)},
  };
}

// This command again, under the sanitizers.
Program program_under(const Sanitizers& chosen, const Arguments& arguments, const std::filesystem::path& folder) {
  Program program{.arguments = {"/proc/self/exe", "check"},
                  .environment = environment_of(chosen, folder),
                  .input = STDIN_FILENO,
                  .ends_with_parent = true,
                  // Where Linux scatters addresses widely, older runtimes find their own place taken.
                  .fixed_addresses = true};
  program.arguments.insert(program.arguments.end(), arguments.begin(), arguments.end());
  return program;
}

volatile std::sig_atomic_t child_to_end = 0;

void pass_on(int signal) { kill(child_to_end, signal); }

// Waits for the child, which gets the signals that this process gets. Returns false if its time is up and it was
// killed.
bool ends_in_time(ChildProcess& child, double seconds) {
  child_to_end = child.number();
  catch_unless_ignored(pass_on);
  if (child.ends_within(seconds)) return true;
  child.kill(seconds_after_kill);
  return false;
}

// The file by which the process reports that it ends as it means to: a kernel may call exit().
std::filesystem::path end_mark(const std::string& report) { return report + ".end"; }

int no_survivor(Verdict verdict, const std::string& text) {
  put_text("verdict: {}\n{}\n", to_text(verdict), text);
  return exit_no_survivor;
}

// ---- The findings ----

// A parameter of an entry's launch, by position.
struct LaunchParameter {
  std::string name;
  std::string type;
  std::uint64_t element_bytes = 0;  // 0: a scalar
};
struct Launches {
  std::vector<std::string> files;                                  // names of the kernel file and its headers
  std::map<std::string, std::vector<LaunchParameter>> parameters;  // by the entry's expression
};

Launches launches_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                     const Configuration& default_configuration, const DeviceInfo& info) {
  Launches launches;
  launches.files.push_back(spec.source.name);
  for (const Header& header : spec.source.headers) launches.files.push_back(header.name);
  const auto add = [&](const std::vector<Step>& steps, const Configuration* with) {
    const std::vector<ResolvedArgument> arguments = resolve_arguments(spec, problem, &configuration, info);
    for (const ResolvedStep& step : resolve_steps(spec, steps, problem, with, info)) {
      if (step.kind != StepKind::launch) continue;
      std::vector<LaunchParameter>& list = launches.parameters[step.expression];
      list.clear();
      for (const std::size_t i : step.arguments) {
        const ResolvedArgument& resolved = arguments[i];
        const bool array = is_array(resolved.role) && !resolved.by_value && resolved.count > 0;
        list.push_back({spec.arguments[i].name, resolved.type, array ? resolved.bytes / resolved.count : 0});
      }
    }
  };
  add(spec.prepare, nullptr);
  add(spec.reference, nullptr);
  add(spec.launch, &default_configuration);
  add(spec.launch, &configuration);
  return launches;
}

// Returns "kernel.cu:31": the first line of the kernel's own files in the report, from the innermost frame outwards.
std::string line_in(const std::string& report, const std::vector<std::string>& files) {
  std::size_t first = std::string::npos;
  std::string found;
  for (const std::string& file : files) {
    for (std::size_t at = report.find(file + ":"); at != std::string::npos; at = report.find(file + ":", at + 1)) {
      const std::size_t number = at + file.size() + 1;
      const std::size_t end = report.find_first_not_of("0123456789", number);
      const bool whole = at == 0 || std::strchr("/ \n'", report[at - 1]) != nullptr;
      if (!whole || end == number || at >= first) continue;
      first = at;
      found = report.substr(at, end - at);
      break;
    }
  }
  return found;
}

// Returns the elements of an access, [5000] or [4998] to [5001], counted from the array's start.
std::string elements_text(long long offset, std::size_t bytes, std::uint64_t element) {
  const auto index = [&](long long byte) {
    const auto size = static_cast<long long>(element);
    return byte >= 0 ? byte / size : -((-byte + size - 1) / size);
  };
  const long long first = index(offset),
                  last = index(offset + static_cast<long long>(std::max<std::size_t>(bytes, 1)) - 1);
  return first == last ? fmt::format("element [{}]", first) : fmt::format("elements [{}] to [{}]", first, last);
}

// Returns "outside argument `y`, at element [5000]; it has 5000 of float".
std::string missed_text(const SanitizerFinding& finding, const Launches& launches) {
  const Fence& fence = *finding.fence;
  const long long offset = finding.address - static_cast<const std::byte*>(fence.memory);
  if (fence.around == Fence::Around::dynamic_shared)
    return fmt::format("outside dynamic shared memory, at byte {}; the launch has {} bytes", offset, fence.bytes);
  if (fence.around == Fence::Around::shared_variable)
    return fmt::format("outside shared variable `{}`, at byte {}; it has {} bytes", fence.name, offset, fence.bytes);
  const auto launch = launches.parameters.find(finding.call.expression);
  if (launch != launches.parameters.end()) {
    for (std::size_t i = 0; i < launch->second.size(); ++i) {
      const LaunchParameter& parameter = launch->second[i];
      if (parameter.element_bytes == 0) continue;
      const void* passed = nullptr;
      std::memcpy(&passed, finding.call.parameters[i], sizeof passed);
      if (passed != fence.memory) continue;
      return fmt::format("outside argument `{}`, at {}; it has {} of {}", parameter.name,
                         elements_text(offset, finding.bytes, parameter.element_bytes),
                         fence.bytes / parameter.element_bytes, parameter.type);
    }
  }
  return fmt::format("outside an array of {} bytes, at byte {}", fence.bytes, offset);
}

// Returns the text of UndefinedBehaviorSanitizer after "runtime error: ".
std::string undefined_text(const std::string& report) {
  constexpr std::string_view sign = "runtime error: ";
  const std::size_t at = report.find(sign);
  if (at == std::string::npos) return "a mistake that the sanitizer does not name";
  return report.substr(at + sign.size(), report.find('\n', at) - at - sign.size());
}

std::string what_text(const SanitizerFinding& finding, const Launches& launches) {
  if (finding.description.empty()) return undefined_text(finding.report);
  const std::string access =
      finding.bytes > 0 ? fmt::format("{} {} bytes", finding.write ? "wrote" : "read", finding.bytes) : "access";
  if (finding.fence) return access + " " + missed_text(finding, launches);
  // For example "stack-buffer-overflow on address 0x7fff1234", "SEGV on unknown address 0x0".
  constexpr std::string_view sign = "AddressSanitizer: ";
  const std::size_t at = finding.report.find(sign);
  if (at == std::string::npos) return finding.description;
  const std::size_t begin = at + sign.size(),
                    end = std::min(finding.report.find_first_of("(\n", begin), finding.report.find(" at pc", begin));
  const std::string_view named = std::string_view(finding.report).substr(begin, end - begin);
  return fmt::format("{}{}", named, finding.bytes > 0 ? " (" + access + ")" : "");
}

// Returns the report's lines on the access and on variables of the stack. Lines on attune's own memory and frames of
// the launch are left out.
std::string excerpt_of(const SanitizerFinding& finding) {
  std::string text;
  bool in_kernel = true;
  std::istringstream lines(finding.report);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Shadow bytes") || line.starts_with("SUMMARY") || line.starts_with("HINT")) break;
    if (finding.fence && line.empty()) break;
    if (line.empty() || line.starts_with("====") || line.find("DEADLYSIGNAL") != std::string::npos) continue;
    const bool frame = line.starts_with("    #");
    // From here on the frames are attune's.
    if (frame && line.find(" attune_host::invoke") != std::string::npos) in_kernel = false;
    if (!frame) in_kernel = true;
    if (in_kernel && (frame || !finding.fence)) text += "  " + line + "\n";
  }
  return text;
}

}  // namespace

EndReport::~EndReport() {
  const char* const report = std::getenv("ATTUNE_SANITIZE_REPORT");
  if (report != nullptr) std::ofstream(end_mark(report)).put('\n');
}

int check_in_sanitized_process(const Sanitizers& chosen, const Arguments& arguments, double seconds) {
  const TemporaryFolder folder;
  start_worker_guard({folder.path(), folder.path().string()});  // even if this process is killed
  ChildProcess child(program_under(chosen, arguments, folder.path()));
  const bool is_in_time = ends_in_time(child, seconds);
  kill_processes_of(-1, folder.path().string());
  if (!is_in_time)
    return no_survivor(Verdict::timeout,
                       fmt::format("stopped after {:.0f} s under {}: a loop that never ends, or a problem that is too "
                                   "large for sanitizers; try a smaller --problem, or a longer --time-limit",
                                   seconds, chosen.text()));
  if (const std::optional<int> code = child.exit_code()) {
    if (*code == 127) throw Error("cannot start attune once more with the sanitizers: /proc/self/exe does not run");
    if (std::filesystem::exists(end_mark(report_in(folder.path())))) return *code;
    return no_survivor(Verdict::fault,
                       fmt::format("the kernel ended the process under {}, with exit code {}", chosen.text(), *code));
  }
  const int signal = child.signal();
  if (signal == SIGINT || signal == SIGTERM || signal == SIGHUP) return exit_interrupted;
  return no_survivor(Verdict::fault,
                     fmt::format("the process under {} was ended by signal {} ({}){}", chosen.text(), signal,
                                 strsignal(signal), signal == SIGKILL ? ": is the machine out of memory?" : ""));
}

void print_findings(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                    const Configuration& default_configuration, const DeviceInfo& info) {
  // Neither the C++ compiler nor a symbolizer may run with the sanitizers' runtime.
  unsetenv("LD_PRELOAD");
  const char* const report = std::getenv("ATTUNE_SANITIZE_REPORT");
  on_finding(report != nullptr ? report : "", [launches =
                                                   launches_of(spec, problem, configuration, default_configuration,
                                                               info)](const SanitizerFinding& finding) {
    const bool argument = finding.fence && finding.fence->around == Fence::Around::array;
    const std::string line = line_in(finding.report, launches.files);
    no_survivor(argument ? Verdict::guard : Verdict::fault,
                fmt::format("{}{}\n  in {} of {}\n{}", line.empty() ? "" : line + ": ", what_text(finding, launches),
                            finding.thread, finding.call.expression, excerpt_of(finding)));
    std::fflush(stdout);
    { const EndReport end; }
    _exit(exit_no_survivor);
  });
}

}  // namespace attune::cli
