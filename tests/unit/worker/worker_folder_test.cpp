// The folder that a worker makes and removes.
#include "worker/process/worker_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "attune/error.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

class WorkerFolders : public testing::Test {
 protected:
  void SetUp() override {
    const char* const named = getenv("TMPDIR");
    before_ = named != nullptr ? named : "";
    fs::create_directories(scratch_ / "other");
    std::ofstream(scratch_ / "other/mine") << "kept";
    setenv("TMPDIR", scratch_.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty())
      unsetenv("TMPDIR");
    else
      setenv("TMPDIR", before_.c_str(), 1);
    fs::current_path(working_);
    fs::remove_all(scratch_);
  }
  std::string message_for(const std::string& temporary) const {
    setenv("TMPDIR", temporary.c_str(), 1);
    try {
      const WorkerFolder folder;
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  const fs::path scratch_ = fs::path(testing::TempDir()) / ("worker_folder_" + std::to_string(getpid()));
  const fs::path working_ = fs::current_path();
  std::string before_;
};

TEST_F(WorkerFolders, LieBelowTheOneThatWasThereAreItsOwnAndGoAway) {
  {
    const WorkerFolder folder;
    EXPECT_EQ(folder.path().parent_path(), scratch_);
    EXPECT_EQ(folder.path(), getenv("TMPDIR"));
    struct stat status {};
    ASSERT_EQ(stat(folder.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    std::ofstream(folder.path() / "file") << "left";
  }
  EXPECT_TRUE(fs::exists(scratch_ / "other/mine"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_), {}), 1);
}

TEST_F(WorkerFolders, AreRemovedWhereTheyWereMadeWhateverBecomesOfTmpdir) {
  fs::path made;
  {
    const WorkerFolder folder;
    made = folder.path();
    setenv("TMPDIR", (scratch_ / "other").c_str(), 1);
  }
  EXPECT_FALSE(fs::exists(made));
  EXPECT_TRUE(fs::exists(scratch_ / "other/mine"));
}

TEST_F(WorkerFolders, OfARelativeTmpdirAreRemovedWhereTheyWereMade) {
  fs::current_path(scratch_);
  setenv("TMPDIR", "promised", 1);
  fs::create_directory(scratch_ / "other/promised");
  {
    const WorkerFolder folder;
    EXPECT_TRUE(fs::exists(scratch_ / "promised"));
    fs::current_path(scratch_ / "other");
  }
  EXPECT_FALSE(fs::exists(scratch_ / "promised"));
  EXPECT_TRUE(fs::exists(scratch_ / "other/promised"));
}

TEST_F(WorkerFolders, ThatCannotBeMadeAreAnErrorThatNamesThePlace) {
  EXPECT_THAT(message_for((scratch_ / "no/such").string()), HasSubstr((scratch_ / "no").string()));
  EXPECT_THAT(message_for((scratch_ / "other/mine").string()), HasSubstr("TMPDIR"));
  EXPECT_TRUE(fs::exists(scratch_ / "other/mine"));
}

TEST_F(WorkerFolders, HaveANameBeforeTheyAreThereAndGoWithIt) {
  {
    const WorkerFolderName name, other;
    EXPECT_NE(name.path(), other.path());
    EXPECT_EQ(name.path().parent_path(), scratch_);
    EXPECT_FALSE(fs::exists(name.path()));
    fs::create_directory(name.path());
    std::ofstream(name.path() / "file") << "left by a worker that was killed";
  }
  EXPECT_TRUE(fs::exists(scratch_ / "other/mine"));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch_), {}), 1);
}

}  // namespace
}  // namespace attune
