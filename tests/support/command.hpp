// Runs a program as a user would and keeps what it printed.
#pragma once

#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace attune::test {

struct CommandResult {
  int code = -1;  // exit status; 128 + signal when it was killed
  std::string out, err;
};

struct CommandOptions {
  std::map<std::string, std::string> environment = {};  // added to, or (empty value) removed from, this process's
  // Called with standard output so far, each time more arrives; what it returns, if not 0, is sent as a signal.
  std::function<int(const std::string& out)> signal_when = nullptr;
  int signals = 1;                        // the most signals that are sent
  long file_size_limit = 0;               // bytes any file may grow to (RLIMIT_FSIZE); 0: none
  bool is_soft_limit = false;             // the limit of processor time is soft: SIGXCPU
  long processor_limit = 0;               // seconds of each process (RLIMIT_CPU), as of `ulimit -t`; 0: none
  int processes = 0;                      // limit, threads too, as lone_user (few_processes.hpp); 0: as this user
  std::vector<int> ignored_signals = {};  // as nohup or a careless parent leaves them
  int timeout_seconds = 100;
};

CommandResult run_command(const std::vector<std::string>& arguments, const CommandOptions& options = {});

}  // namespace attune::test
