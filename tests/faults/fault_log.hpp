// FaultLog: what the workers of a test did, line by line, in one file that all of them write to.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace attune::test {

class FaultLog {
 public:
  explicit FaultLog(std::string file) : file_(std::move(file)) {}

  // In one write, so that lines stay whole.
  void add(const std::string& line) const {
    const int file = open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const std::string text = line + "\n";
    if (file < 0 || write(file, text.data(), text.size()) < 0) throw std::runtime_error("cannot write to " + file_);
    close(file);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> found;
    std::ifstream file(file_);
    for (std::string line; std::getline(file, line);) found.push_back(line);
    return found;
  }
  int count(const std::string& line) const {
    const std::vector<std::string> all = lines();
    return static_cast<int>(std::count(all.begin(), all.end(), line));
  }

 private:
  std::string file_;
};

}  // namespace attune::test
