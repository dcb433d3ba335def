// A fixture for the command line: a folder of its own for database, cache and kernel files; the host device.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/command.hpp"

namespace attune::test {

using Json = nlohmann::json;
using Replacements = std::vector<std::pair<std::string, std::string>>;

class Workbench : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // attune ARGUMENTS..., on the host device unless the options say otherwise.
  CommandResult attune(std::vector<std::string> arguments, CommandOptions options = {}) const;
  // The same of another program of the build's bin/.
  CommandResult run(const std::string& program, std::vector<std::string> arguments, CommandOptions options = {}) const;
  // Standard output of a command of attune that has to succeed.
  std::string output_of(const std::vector<std::string>& arguments) const;
  // The lines of its standard output, with --json.
  std::vector<Json> events_of(std::vector<std::string> arguments) const;
  // Expects that the command ends with this code and that its standard error holds all of these words.
  CommandResult expect_failure(int code, const std::vector<std::string>& arguments,
                               const std::vector<std::string>& words) const;

  // Expects that a terminal of 80 columns shows the lines whole, but for commands in lines of their own.
  static void expect_to_fit(const std::string& text);

  // tests/data/kernels/scale.cu in the fixture's folder, with the first of each pair (which must occur) replaced.
  std::string scale_with(const Replacements& replacements) const;
  std::string scale_with(const std::string& before, const std::string& after) const {
    return scale_with({{before, after}});
  }
  // With many values of BLOCK. They differ in launch parameters alone: one image, so that trials are fast.
  std::string scale_of_many(Replacements replacements = {}, int values = 400) const;
  std::string scale() const { return ATTUNE_TEST_DATA "/kernels/scale.cu"; }
  // Writes a file into the fixture's folder; returns its path.
  std::string write(const std::string& name, const std::string& text) const;

  std::filesystem::path folder_;
  std::string database() const { return (folder_ / "wisdom.db").string(); }
};

std::string content_of(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::string& text);
// Returns the text without line ends: each, with the blanks behind it, is one blank.
std::string on_one_line(const std::string& text);
std::vector<Json> events_in(const std::string& text);
std::vector<Json> of_type(const std::vector<Json>& events, const std::string& type);
std::size_t count_of(const std::string& text, const std::string& part);

}  // namespace attune::test
