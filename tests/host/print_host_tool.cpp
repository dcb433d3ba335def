// Prints which compiler this process would run, and where it puts temporary files.
#include <cstdio>

#include "device/host/compiler_process.hpp"
#include "device/host/host_compiler_tool.hpp"

int main() {
  const attune::TemporaryFolder folder;
  std::printf("[%s][%s]\n", attune::find_host_tool().command.front().c_str(), folder.path().parent_path().c_str());
}
