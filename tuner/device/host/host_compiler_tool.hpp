// Which C++ compiler the host device uses: $ATTUNE_HOST_CXX, $CXX, g++, c++, clang++, the first that runs.
#pragma once

#include <string>
#include <vector>

namespace attune {

struct HostTool {
  std::vector<std::string> command;  // the compiler's path, behind a launcher such as ccache or with options
  std::string version;               // "g++ 12.2.0"
  bool is_clang() const { return command.back().find("clang") != std::string::npos; }
};

// Throws Error when there is none.
HostTool find_host_tool();

// The path of a library of the compiler's own; empty when it is not installed.
std::string library_of(const HostTool& tool, const std::string& name);

// "a b" to "a", "b"; null is no words.
std::vector<std::string> words_in(const char* text);

}  // namespace attune
