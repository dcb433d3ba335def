// Which compiler the host device runs in a set-user-id program: none that the caller's environment names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "support/set_user_id.hpp"

namespace attune::test {
namespace {

TEST(HostTool, IgnoresTheEnvironmentInASetUserIdProcess) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "attune_planted";
  std::filesystem::create_directories(folder);
  const std::string planted = (folder / "planted-c++").string();
  std::ofstream(planted) << "#!/bin/sh\nexec g++ \"$@\"\n";
  std::filesystem::permissions(planted, std::filesystem::perms::owner_all);
  setenv("ATTUNE_HOST_CXX", planted.c_str(), 1);
  setenv("TMPDIR", folder.c_str(), 1);
  setenv("GCC_EXEC_PREFIX", "/planted/", 1);
  EXPECT_EQ(first_line_of(PRINT_HOST_TOOL), "[" + planted + "][" + folder.string() + "][passed]\n");
  const std::optional<std::string> printed = first_line_as_set_user_id(PRINT_HOST_TOOL);
  unsetenv("ATTUNE_HOST_CXX");
  unsetenv("TMPDIR");
  unsetenv("GCC_EXEC_PREFIX");
  std::filesystem::remove_all(folder);
  if (!printed) GTEST_SKIP() << "no set-user-id programs here";
  EXPECT_TRUE(printed->starts_with("[/usr/bin/")) << *printed;
  EXPECT_TRUE(printed->ends_with("][/tmp][]\n")) << *printed;
}

}  // namespace
}  // namespace attune::test
