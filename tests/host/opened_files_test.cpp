// The user's files that a compile on the host opens, and what else of a compile a key covers.
#include "device/host/opened_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "device/host/host_compiler.hpp"
#include "device/image_key.hpp"
#include "host/host_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Prerequisites, AreTheWordsOfARule) {
  EXPECT_THAT(prerequisites("kernel.o: kernel.cpp /a/b.h \\\n /a/with\\ blank.h \\\n /a/\\#$$.h\n\n/a/b.h:\n"),
              ElementsAre("kernel.cpp", "/a/b.h", "/a/with blank.h", "/a/#$.h"));
  EXPECT_THAT(prerequisites("kernel.o:\n"), IsEmpty());
  EXPECT_THAT(prerequisites(""), IsEmpty());
  EXPECT_THAT(prerequisites("k.o: a\\"), ElementsAre("a"));
}

class HostFiles : public test::HostTest {
 protected:
  HostFiles() {
    std::string pattern = (fs::temp_directory_path() / "attune host-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no temporary folder");
    folder_ = pattern;
    fs::create_directories(folder_ / "first");
    fs::create_directories(folder_ / "second");
  }
  ~HostFiles() override {
    unsetenv("ATTUNE_HOST_CXXFLAGS");
    fs::remove_all(folder_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  ImageRequest in_both(const std::string& source) const {
    ImageRequest wanted = request(source, {"run"});
    wanted.options = {"-I" + (folder_ / "first").string(), "-I" + (folder_ / "second").string()};
    return wanted;
  }
  // Those of the test's folder; "!name" was looked for in vain.
  std::vector<std::string> files_of(const ImageRequest& wanted) const {
    const CompileOutcome outcome = compile(wanted);
    EXPECT_TRUE(outcome.image) << outcome.log;
    std::vector<std::string> names;
    if (!outcome.image) return names;
    for (const ImageFile& file : outcome.image->files) {
      const std::string name = fs::path(file.path).lexically_relative(folder_).string();
      EXPECT_FALSE(name.starts_with("..")) << file.path << " is no file of the user";
      names.push_back((file.is_absent() ? "!" : "") + name);
    }
    return names;
  }
  fs::path folder_;
};

TEST_F(HostFiles, AreTheHeadersOfFoldersAndWhereTheyAreMissing) {
  write("second/a.h", "#define A 1\n");
  write("second/macro.h", "#define M 2\n");
  const ImageRequest wanted = in_both(
      "#include \"attune.cuh\"\n#include <a.h>\n#define NAME <macro.h>\n#include NAME\n"
      "__global__ void run(int* out) { *out = A + M; }");
  const std::vector<std::string> files = files_of(wanted);
  for (const char* name : {"!first/a.h", "second/a.h", "second/macro.h"})
    EXPECT_THAT(files, testing::Contains(name)) << "the compiler tells of #include NAME too";
}

TEST_F(HostFiles, WithoutFoldersThereAreNone) {
  const CompileOutcome outcome = compile(
      request("#include \"attune.cuh\"\n#include <cmath>\n__global__ void run(int* out) { *out = 1; }", {"run"}));
  ASSERT_TRUE(outcome.image) << outcome.log;
  EXPECT_THAT(outcome.image->files, IsEmpty()) << "the system's headers are the compiler's";
}

TEST_F(HostFiles, FoldersOfTheUsersFlagsCount) {
  write("first/a.h", "#define A 1\n");
  fs::create_directory_symlink(folder_, fs::temp_directory_path() / "attune_host_flags");
  setenv("ATTUNE_HOST_CXXFLAGS", ("-I" + (fs::temp_directory_path() / "attune_host_flags/first").string()).c_str(), 1);
  const CompileOutcome outcome =
      compile(request("#include <a.h>\n__global__ void run(int* out) { *out = A; }", {"run"}));
  fs::remove(fs::temp_directory_path() / "attune_host_flags");
  ASSERT_TRUE(outcome.image) << outcome.log;
  EXPECT_THAT(outcome.image->files,
              testing::Contains(testing::Field(&ImageFile::path, testing::EndsWith("attune_host_flags/first/a.h"))));
}

TEST_F(HostFiles, SystemFoldersThatTheUserNamesCountAsTheirFilesDo) {
  write("first/a.h", "#define NAME <b.h>\n#include NAME\n");
  write("second/b.h", "#define A 1\n");
  const ImageRequest wanted = request("#include <a.h>\n__global__ void run(int* out) { *out = A; }", {"run"});
  const fs::path link = fs::temp_directory_path() / ("attune_host_" + std::to_string(getpid()));
  fs::create_directory_symlink(folder_, link);  // flags have no blanks
  const auto holds = [&](const CompileOutcome& outcome, const char* name) {
    ASSERT_TRUE(outcome.image) << outcome.log;
    EXPECT_THAT(outcome.image->files, testing::Contains(testing::Field(&ImageFile::path, (link / name).string())));
  };
  setenv("ATTUNE_HOST_CXXFLAGS",
         ("-isystem " + (link / "first").string() + " -idirafter" + (link / "second").string()).c_str(), 1);
  const CompileOutcome by_flags = compile(wanted);
  unsetenv("ATTUNE_HOST_CXXFLAGS");
  ImageRequest keyed = wanted;
  keyed.architecture = "host";
  const std::string key = image_key(keyed);
  setenv("CPLUS_INCLUDE_PATH", ((link / "first").string() + ":" + (link / "second").string()).c_str(), 1);
  const CompileOutcome by_variable = compile(wanted);
  EXPECT_NE(image_key(keyed), key) << "the folders are in the key";
  unsetenv("CPLUS_INCLUDE_PATH");
  for (const CompileOutcome* outcome : {&by_flags, &by_variable})
    for (const char* name : {"first/a.h", "second/b.h"}) holds(*outcome, name);
  fs::remove(link);
}

TEST_F(HostFiles, AFileThatIsOnlyAskedForCounts) {
  write("second/a.h", "");
  const std::vector<std::string> files =
      files_of(in_both("#if __has_include(<a.h>)\n#endif\n__global__ void run(int* out) { *out = 1; }"));
  for (const char* name : {"!first/a.h", "second/a.h"}) EXPECT_THAT(files, testing::Contains(name));
}

TEST_F(HostFiles, APipeInTheirPlaceIsRefusedAtOnce) {
  ASSERT_EQ(mkfifo((folder_ / "first/a.h").c_str(), 0600), 0);
  const CompileOutcome outcome = compile(in_both("#include <a.h>\n__global__ void run(int*) {}"));
  EXPECT_EQ(outcome.verdict, Verdict::compile_error);
  EXPECT_THAT(outcome.log, testing::HasSubstr("first/a.h: error: it is no regular file"));
}

TEST_F(HostFiles, TheKeyIsOfTheFlagsAndOfAttunesOwnTexts) {
  ImageRequest wanted = request("__global__ void run(int* out) { *out = 1; }", {"run"});
  wanted.architecture = "host";
  const std::string key = image_key(wanted);
  EXPECT_EQ(image_key(wanted), key);
  EXPECT_NE(wanted.key(""), key);
  setenv("ATTUNE_HOST_CXXFLAGS", "-O3", 1);
  EXPECT_NE(image_key(wanted), key);
  wanted.architecture = "sm_90";
  const std::string of_cuda = image_key(wanted);
  EXPECT_NE(of_cuda, wanted.key(host_additions()));
  EXPECT_NE(of_cuda, wanted.key(""));
}

}  // namespace
}  // namespace attune
