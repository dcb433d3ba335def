// A fixture for the command line: a folder of its own for database, cache and kernel files; the host device.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace attune::test {

class Workbench : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  // attune ARGUMENTS..., on the host device unless the options say otherwise.
  CommandResult attune(std::vector<std::string> arguments, CommandOptions options = {}) const;
  // The same of another program of the build's bin/.
  CommandResult run(const std::string& program, std::vector<std::string> arguments, CommandOptions options = {}) const;

  // tests/data/kernels/scale.cu, with `before` replaced by `after` (which must occur), in the fixture's folder.
  std::string scale_with(const std::string& before, const std::string& after) const;
  std::string scale() const { return ATTUNE_TEST_DATA "/kernels/scale.cu"; }

  std::filesystem::path folder_;
  std::string database() const { return (folder_ / "wisdom.db").string(); }
};

std::size_t count_of(const std::string& text, const std::string& part);

}  // namespace attune::test
