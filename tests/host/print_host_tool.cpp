// Prints which compiler this process would run, where it puts temporary files, and whether a compiler gets the variable
// GCC_EXEC_PREFIX.
#include <cstdio>

#include "base/child_process.hpp"
#include "device/host/compiler_process.hpp"
#include "device/host/host_compiler_tool.hpp"

int main() {
  const attune::TemporaryFolder folder;
  bool is_passed = false;
  for (const std::string& variable : attune::environment_with({}))
    is_passed = is_passed || variable.starts_with("GCC_EXEC_PREFIX=");
  std::printf("[%s][%s][%s]\n", attune::find_host_tool().command.front().c_str(), folder.path().parent_path().c_str(),
              is_passed ? "passed" : "");
}
