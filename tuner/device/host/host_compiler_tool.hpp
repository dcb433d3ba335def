// The C++ compiler of the host device: $ATTUNE_HOST_CXX if that is set, else the first that runs of $CXX, g++, c++ and
// clang++.
#pragma once

#include <string>
#include <vector>

namespace attune {

struct HostTool {
  std::vector<std::string> command;  // the compiler's path, after a launcher such as ccache; options follow
  std::string version;               // "g++ 12.2.0"
  bool is_clang() const { return command.back().find("clang") != std::string::npos; }
};

// Finds the compiler. Throws Error when there is none, or when $ATTUNE_HOST_CXX names none that runs.
HostTool find_host_tool();

// Returns the path of the compiler's own library; empty when it is not installed.
std::string library_of(const HostTool& tool, const std::string& name);

// Returns the words of a text: "a", "b" for "a b", and none for null.
std::vector<std::string> words_in(const char* text);

}  // namespace attune
