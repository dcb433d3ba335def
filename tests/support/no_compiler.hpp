// Makes this process find no compiler for the host device.
#pragma once

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace attune::test {

// Hides the compiler as long as this object lives.
class NoCompiler {
 public:
  NoCompiler() {
    for (const char* name : {"PATH", "CXX", "ATTUNE_HOST_CXX"}) hide(name);
    setenv("PATH", "/nonexistent", 1);
  }
  ~NoCompiler() {
    for (const auto& [name, value] : hidden_) setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  void hide(const char* name) {
    const char* const value = std::getenv(name);
    if (!value) return;
    hidden_.emplace_back(name, value);
    unsetenv(name);
  }
  std::vector<std::pair<std::string, std::string>> hidden_;
};

}  // namespace attune::test
