#include "explain_counters.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/regular_file.hpp"
#include "base/shell_word.hpp"
#include "base/trusted_environment.hpp"
#include "device/host/compiler_process.hpp"

namespace attune::cli {
namespace {

// A launch is replayed some ten times, with its memory restored before each: seconds, for the largest a minute. The
// check ends by itself before the profiler is killed, which would leave the check behind.
constexpr int check_seconds = 240;
constexpr double profiler_seconds = 300;
constexpr std::uint64_t most_bytes = std::uint64_t{16} << 20;  // of a file of counters; one launch has kilobytes

// How often an entry may make what is expected, before the checked configuration: once for each way of poisoning
// memory.
constexpr int launches_before = 2;

std::vector<std::string> profiler_command(const std::string& profiler, const CountedSubject& subject,
                                          const std::string& log) {
  std::string metrics;
  for (const CounterMetric& metric : counter_metrics())
    metrics += (metrics.empty() ? "" : ",") + std::string(metric.name);
  const int skipped = subject.has_others_before ? launches_before : 0;
  return {profiler,
          "--csv",
          "--page",
          "raw",
          "--print-units",
          "base",
          "--log-file",
          log,
          "--target-processes",
          "all",
          "--clock-control",
          "none",
          "--kernel-name-base",
          "function",
          "--kernel-name",
          subject.entry,
          "--launch-skip",
          std::to_string(skipped),
          "--launch-count",
          "1",
          "--metrics",
          metrics,
          std::filesystem::read_symlink("/proc/self/exe").string(),
          "check",
          subject.kernel,
          "--problem",
          subject.problem,
          "--configuration",
          subject.configuration,
          "--device",
          subject.device,
          "--time-limit",
          std::to_string(check_seconds)};
}

// Returns the first line with this word; "" where there is none.
std::string line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(word) != std::string::npos) return line;
  return "";
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

// Returns why there are no counters, by what the profiler and `attune check` have printed.
std::string reason_of_failure(const std::string& log, const std::string& printed, const std::string& command) {
  if ((log + printed).find("ERR_NVGPUCTRPERM") != std::string::npos)
    return "this user may not read the GPU's counters (ERR_NVGPUCTRPERM): an administrator allows it by the "
           "option NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia. Or run ncu as root, and give its output "
           "by --counters and --default-counters";
  std::string reason = line_with(log, "==ERROR==");
  if (reason.empty()) reason = line_with(printed, "attune: ");
  if (reason.empty()) reason = last_line(printed);
  if (reason.empty()) reason = "it has counted no launch";
  return "ncu: " + reason + "; to see all of it: " + command;
}

}  // namespace

std::string find_profiler() {
  if (const std::optional<std::string> named = trusted_environment("ATTUNE_NCU")) {
    std::string found = find_program(*named);
    if (found.empty()) throw UsageError("ATTUNE_NCU names `" + *named + "`, which is no program");
    return found;
  }
  if (std::string found = find_program("ncu"); !found.empty()) return found;
  return find_program("/usr/local/cuda/bin/ncu");
}

CountedLaunch count_launch(const std::string& profiler, const CountedSubject& subject) {
  const TemporaryFolder folder;
  const std::string log = (folder.path() / "counters.csv").string(), printed = (folder.path() / "printed").string();
  const std::vector<std::string> command = profiler_command(profiler, subject, log);
  const Descriptor output(open(printed.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  if (!output.open()) throw Error("cannot write " + printed);
  ChildProcess child({.arguments = command,
                      .environment = {{"LC_ALL", "C"}},
                      .output = output.get(),
                      .errors = output.get(),
                      .ends_with_parent = true});
  if (!child.ends_within(profiler_seconds)) {
    child.kill(1);
    return {std::nullopt, fmt::format("ncu has not ended within {:g} s", profiler_seconds)};
  }
  const std::string text = read_regular_file(log, most_bytes).text;
  try {
    return {read_counters(text, "ncu's output"), ""};
  } catch (const UsageError&) {
    // The command without what only the reader of its output needs.
    std::string shown = shell_word(profiler) + " --target-processes all --launch-count 1";
    const auto check = std::ranges::find(command, "check");
    for (auto word = check - 1; word != command.end(); ++word) shown += " " + shell_word(*word);
    return {std::nullopt, reason_of_failure(text, read_regular_file(printed, most_bytes).text, shown)};
  }
}

Counters counters_of_file(const std::string& file) {
  const FileText read = read_regular_file(file, most_bytes);
  if (!read.why.empty()) throw UsageError("cannot read " + file + ": " + read.why);
  return read_counters(read.text, file);
}

}  // namespace attune::cli
