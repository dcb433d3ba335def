// Finds the command, runs it, and makes a message and an exit code of its exceptions.
#include "attune/command_line.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <new>
#include <optional>

#include "absent_reader.hpp"
#include "apps/terminal/help_text.hpp"
#include "attune/error.hpp"
#include "base/near_name.hpp"
#include "base/waiting.hpp"
#include "command.hpp"
#include "put_text.hpp"
#include "worker.hpp"

namespace attune::cli {
namespace {

constexpr Command all_commands[] = {
    {"new", "write a kernel file to start from, for a CUDA file that has none", run_new},
    {"tune", "search the best configuration of a kernel on this device and remember it", run_tune},
    {"check", "compile and run one configuration; show verdict, resources and the compiler's log", run_check},
    {"occupancy", "how many blocks of a configuration a multiprocessor holds, what limits them, and the next step",
     run_occupancy},
    {"bench", "compare configurations, the record and a copy of as many bytes by interleaved samples", run_bench},
    {"ladder", "the steps of a classical table of a kernel, measured here beside the published figures", run_ladder},
    {"plan", "what an application would launch for a problem, and why", run_plan},
    {"prepare", "compile what applications will launch into a cache, for architectures that need not be here",
     run_prepare},
    {"list", "the kernels that are known", run_list},
    {"show", "what is known of a kernel: records with speed-up and provenance", run_show},
    {"sessions", "the searches that are stored: what for, how far, and what they found", run_sessions},
    {"cover", "the few configurations that serve all measured problems, and a tree for those between", run_cover},
    {"trials", "what was tried for a kernel, and why it was rejected", run_trials},
    {"report", "a page on a tuning session: what won, why, what the search saw, what to run next", run_report},
    {"explain", "what the trials of a kernel, and a profiler's counters, say of its best configuration", run_explain},
    {"space", "the legal configurations of a kernel: count, list, sample, audit or explain them", run_space},
    {"strategies", "the strategies of a search, with their options", run_strategies},
    {"calibrate", "measure what this device reaches at most, and remember it", run_calibrate},
    {"pin", "set the configuration of a problem yourself; no search replaces it", run_pin},
    {"forget", "remove records and sessions", run_forget},
    {"drift", "which records of two databases differ by more than their intervals allow", run_drift},
    {"db", "verify the database to its last row, or compact its file", run_db},
    {"export", "write what is known to a file", run_export},
    {"import", "bring in what others measured: wisdom of attune, files of other tuners, tables", run_import},
    {"merge", "join databases of one's own into one", run_merge},
    {"adopt", "take records over for a kernel whose code changed, until they are measured again", run_adopt},
    {"devices", "the devices that kernels can run on here", run_devices},
    {"alias", "devices that count as others", run_alias},
};

constexpr std::string_view first_examples =
    "  attune tune transpose --problem \"width=8192 height=8192 T=float\"  # once per GPU\n"
    "  attune tune my_kernel.cu --device host    # without a GPU: on the CPU\n"
    "  attune plan transpose --problem \"width=8000\"  # what would be launched, and why\n"
    "  attune COMMAND --help                     # options and more examples\n"
    "  attune --version                          # with NVRTC, driver and SQLite found\n";

std::string help_text() {
  std::string text = "attune: a planner for your own CUDA kernels\n\nusage: attune COMMAND [options]\n\n";
  constexpr std::size_t summary_column = 14;
  for (const Command& command : all_commands)
    text += fmt::format("  {:<12}{}\n", command.name, wrapped(command.summary, output_columns(), summary_column));
  return text + "\nexamples\n" + examples_text(first_examples, output_columns());
}

int dispatch(const Arguments& arguments) {
  if (arguments.empty()) {
    std::cerr << help_text();
    return exit_usage;
  }
  const std::string& name = arguments.front();
  if (name == "--help" || name == "-h" || name == "help") {
    std::cout << help_text();
    return exit_done;
  }
  if (name == "--version") {
    put_text("{}", version_text());
    return exit_done;
  }
  std::vector<std::string> names;
  for (const Command& command : all_commands) {
    if (name == command.name) return command.run(Arguments(arguments.begin() + 1, arguments.end()));
    names.emplace_back(command.name);
  }
  throw UsageError("unknown command `" + name + "`" + suggestion(name, names) + "; see: attune --help");
}

}  // namespace

int run_command_line(int count, char** values, WorkerSeams seams) {
  if (!seams.open)
    seams.open = [](const std::string& name, const Arguments& arguments) {
      std::unique_ptr<Testbed> testbed = open_program(name, arguments);
      return testbed ? std::move(testbed) : open_recording(name, arguments);
    };
  if (!seams.open_compiler) seams.open_compiler = recording_compiler;
  if (const std::optional<int> served = worker_main(count, values, seams)) return *served;
  std::signal(SIGCHLD, SIG_DFL);  // a parent may have ignored it; then no child has an exit status
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error with a message, like a full disk
  end_without_reader();
  try {
    const int code = dispatch(Arguments(values + 1, values + count));
    std::cout.flush();
    if ((!std::cout || std::ferror(stdout) != 0) && code == exit_done) throw Error("cannot write to standard output");
    return code;
  } catch (const UsageError& error) {
    put_error(error.what());
    return exit_usage;
  } catch (const WaitInterrupted& interrupted) {
    put_error(interrupted.what());
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    put_error("out of memory; try a smaller problem or space, or raise the limit (`ulimit -v`, ATTUNE_COMPILE_MEMORY)");
    return exit_error;
  } catch (const std::exception& error) {
    put_error(error.what());
    return exit_error;
  }
}

}  // namespace attune::cli

namespace attune {

int run_command_line(int count, char** values) { return cli::run_command_line(count, values, {}); }

}  // namespace attune
