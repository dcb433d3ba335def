// Which files a compile may open, by its #include lines and folders.
#include "kernel/header_files.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/digest.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class HeaderFilesTest : public testing::Test {
 protected:
  HeaderFilesTest() {
    std::string pattern = (fs::temp_directory_path() / "attune-headers-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
  }
  ~HeaderFilesTest() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // The files that a source may open in "first" and "second", below the test's folder; "!name" is looked for in vain.
  std::vector<std::string> files_of(const std::string& source, std::vector<EmbeddedHeader> given = {}) {
    given.push_back({"kernel.cu", source});
    found_ = header_files({given, {(folder_ / "first").string(), (folder_ / "second").string()}});
    std::vector<std::string> names;
    for (const ImageFile& file : found_.files)
      names.push_back((file.is_absent() ? "!" : "") + fs::path(file.path).lexically_relative(folder_).string());
    return names;
  }
  fs::path folder_;
  HeaderFiles found_;
};

TEST_F(HeaderFilesTest, AreFoundInTheFirstFolderThatHasThemAndEarlierOnesAreRemembered) {
  write("first/a.h", "in the first");
  write("second/a.h", "");
  write("second/b.h", "in the second");
  EXPECT_THAT(files_of("#include <a.h>\n#include <b.h>\n#include <c.h>\n#include <b.h>\n"),
              ElementsAre("first/a.h", "!first/b.h", "second/b.h", "!first/c.h", "!second/c.h"));
  EXPECT_EQ(found_.files[0].sha256, sha256("in the first"));
  EXPECT_EQ(found_.files[2].sha256, sha256("in the second"));
  EXPECT_TRUE(found_.are_all);
}

TEST_F(HeaderFilesTest, QuotesLookBesideTheIncludingFileFirst) {
  write("first/two.h", "");
  write("second/one.h", "#include \"two.h\"\n#include \"three.h\"\n");
  write("second/two.h", "#include \"sub/../one.h\"\n");
  write("first/three.h", "");
  EXPECT_THAT(files_of("#include <one.h>\n"),
              ElementsAre("!first/one.h", "second/one.h", "second/two.h", "!second/three.h", "first/three.h"));
}

TEST_F(HeaderFilesTest, ThoseThatAreGivenAreNoFilesAndAreScanned) {
  write("first/a.h", "#include \"given.h\"\n");
  write("first/given.h", "");
  write("first/deep.h", "");
  EXPECT_THAT(files_of("#include \"given.h\"\n#include <a.h>\n", {{"given.h", "#include <deep.h>\n"}}),
              UnorderedElementsAre("first/a.h", "first/deep.h"));
}

TEST_F(HeaderFilesTest, TextUnderConditionsCountsAndCommentsDoNot) {
  write("first/a.h", "");
  write("first/b.h", "");
  EXPECT_THAT(files_of("#if 0\n#include <a.h>\n#endif\n// #include <b.h>\n/*\n#include <b.h>\n*/\n"),
              ElementsAre("first/a.h"));
}

TEST_F(HeaderFilesTest, IncludeNextMayMeanAnyFolder) {
  write("first/a.h", "#include_next <a.h>\n");
  write("second/a.h", "");
  EXPECT_THAT(files_of("#include <a.h>\n"), ElementsAre("first/a.h", "second/a.h"));
}

TEST_F(HeaderFilesTest, WithoutFoldersNothingIsLookedFor) {
  EXPECT_THAT(header_files({{{"k.cu", "#include <a.h>\n#include \"b.h\"\n"}}, {}}).files, IsEmpty());
}

TEST_F(HeaderFilesTest, ThatIncludeEachOtherOrClimbEndSoon) {
  write("first/x/a.h", "#include \"../y/b.h\"\n");
  write("first/y/b.h", "#include \"../x/a.h\"\n");
  EXPECT_THAT(files_of("#include <x/a.h>\n"), ElementsAre("first/x/a.h", "first/y/b.h"));
}

TEST_F(HeaderFilesTest, BeyondTheLimitTheyAreNotAll) {
  std::string source;
  for (std::size_t i = 0; i < max_image_files / 2 + 1; ++i) source += "#include <" + std::to_string(i) + ".h>\n";
  files_of(source);
  EXPECT_FALSE(found_.are_all);
  EXPECT_EQ(found_.files.size(), max_image_files);
  write("first/large.h", "");
  fs::resize_file(folder_ / "first/large.h", std::uintmax_t{65} << 20);
  files_of("#include <large.h>\n");
  EXPECT_FALSE(found_.are_all);
  files_of("#include <" + std::string(5000, 'x') + ">\n");
  EXPECT_FALSE(found_.are_all);
}

TEST(IncludeFolders, AreThoseOfAllSpellingsInOrder) {
  const std::vector<std::string> options{"-Ia", "-DI=2", "-I", "b", "--include-path=c", "--include-path", "d", "-I"};
  EXPECT_THAT(include_folders(options), ElementsAre("a", "b", "c", "d"));
}

}  // namespace
}  // namespace attune
