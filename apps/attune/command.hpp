// The commands of the program: a table of name, one line of help, page of help, and function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune::cli {

// Exit codes, as documented in docs/command_line.md.
enum ExitCode { exit_done = 0, exit_error = 1, exit_usage = 2, exit_no_survivor = 3, exit_interrupted = 130 };

using Arguments = std::vector<std::string>;  // what follows the command's name

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments& arguments);  // returns an ExitCode; throws Error, UsageError
};

int run_new(const Arguments& arguments);
int run_tune(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_occupancy(const Arguments& arguments);
int run_bench(const Arguments& arguments);
int run_ladder(const Arguments& arguments);
int run_plan(const Arguments& arguments);
int run_prepare(const Arguments& arguments);
int run_list(const Arguments& arguments);
int run_show(const Arguments& arguments);
int run_sessions(const Arguments& arguments);
int run_cover(const Arguments& arguments);
int run_trials(const Arguments& arguments);
int run_report(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_space(const Arguments& arguments);
int run_strategies(const Arguments& arguments);
int run_calibrate(const Arguments& arguments);
int run_pin(const Arguments& arguments);
int run_forget(const Arguments& arguments);
int run_drift(const Arguments& arguments);
int run_db(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_import(const Arguments& arguments);
int run_merge(const Arguments& arguments);
int run_adopt(const Arguments& arguments);
int run_devices(const Arguments& arguments);
int run_alias(const Arguments& arguments);

// Returns the output of `attune --version`.
std::string version_text();

}  // namespace attune::cli
