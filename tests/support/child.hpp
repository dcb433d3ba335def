// Runs one (disabled) test of this executable in a process of its own. It is for tests that would leave this process
// unusable, and for settings that a process reads only at its start.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace attune::test {

// Runs the child test and returns what it wrote with report(). `environment`: "NAME='value' NAME='value'".
inline std::string report_of_child(const std::string& test, const std::string& environment = "") {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(testing::TempDir()) / ("attune_child_" + std::to_string(getpid()));
  const std::string command = environment + " ATTUNE_TEST_REPORT='" + file.string() + "' '" +
                              fs::read_symlink("/proc/self/exe").string() +
                              "' --gtest_also_run_disabled_tests --gtest_filter='" + test + "' > /dev/null 2>&1";
  const int status = std::system(command.c_str());
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  std::error_code error;
  fs::remove(file, error);
  EXPECT_EQ(status, 0) << "the child test " << test << " failed; it reported: " << text.str();
  return text.str();
}

// Reports a text from the child test. Fails the test if it runs on its own, because then it tests nothing.
inline void report(const std::string& text) {
  const char* file = std::getenv("ATTUNE_TEST_REPORT");
  ASSERT_NE(file, nullptr) << "this test is one half of another, which runs it";
  std::ofstream(file) << text;
}

}  // namespace attune::test
