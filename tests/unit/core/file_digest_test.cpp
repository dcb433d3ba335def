// What a cached image remembers of files, and what counts as a change of them.
#include "core/file_digest.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

class FileDigests : public testing::Test {
 protected:
  FileDigests() {
    std::string pattern = (fs::temp_directory_path() / "attune-digest-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~FileDigests() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return path(name);
  }
  static void make_old(const std::string& file) {
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(1));
  }
  fs::path folder_;
};

TEST_F(FileDigests, AreOfTheBytesOfRegularFilesAlone) {
  const std::string file = write("a.h", "text");
  const auto digest = file_digest(file);
  ASSERT_TRUE(digest);
  EXPECT_EQ(digest->sha256, sha256("text"));
  EXPECT_EQ(digest->bytes, 4u);
  EXPECT_FALSE(file_digest(path("none.h")));
  EXPECT_FALSE(file_digest(folder_.string()));
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_FALSE(file_digest(path("pipe"))) << "and it does not wait for a writer";
  fs::create_symlink(file, path("link.h"));
  EXPECT_EQ(file_digest(path("link.h"))->sha256, sha256("text")) << "compilers follow links";
  std::ofstream(path("large.h")).close();
  fs::resize_file(path("large.h"), max_digested_bytes + 1);
  EXPECT_FALSE(file_digest(path("large.h")));
}

TEST_F(FileDigests, FollowEachChangeOfAFile) {
  const std::string file = write("a.h", "one");
  for (const char* text : {"two", "one", "six", "seven", ""}) {  // within one tick of the clock, of one size
    write("a.h", text);
    EXPECT_EQ(file_digest(file)->sha256, sha256(text)) << text;
  }
  make_old(file);
  EXPECT_EQ(file_digest(file)->sha256, sha256(""));
  write("b.h", "new");
  make_old(path("b.h"));
  fs::rename(path("b.h"), file);
  EXPECT_EQ(file_digest(file)->sha256, sha256("new"));
}

TEST_F(FileDigests, ChangedMissingAndAppearingFilesAreChanges) {
  const std::string file = write("a.h", "text"), none = path("none.h");
  const std::vector<ImageFile> files = {{file, sha256("text")}, {none, ""}};
  EXPECT_TRUE(are_unchanged({}));
  EXPECT_TRUE(are_unchanged(files));
  write("a.h", "texT");
  EXPECT_FALSE(are_unchanged(files));
  fs::remove(file);
  EXPECT_FALSE(are_unchanged(files));
  write("a.h", "text");
  EXPECT_TRUE(are_unchanged(files));
  write("none.h", "");
  EXPECT_FALSE(are_unchanged(files));
}

}  // namespace
}  // namespace attune
