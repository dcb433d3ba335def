// Which headers a kernel takes along, and where they are found.
#include "spec/includes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/include_scan.hpp"
#include "spec/kernel_file.hpp"
#include "support/message_of.hpp"

namespace attune::tests {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> quoted(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& include : find_includes(text)) {
    if (include.quoted && include.kind == Include::Kind::opens) names.push_back(include.name);
  }
  return names;
}

// A folder of its own, removed afterwards.
class Headers : public testing::Test {
 protected:
  Headers() : folder_(fs::path(testing::TempDir()) / fs::path("attune_headers_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Headers() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  // "name" of each header that `code` reaches, or what the error says.
  std::vector<std::string> names(const std::string& code) {
    std::vector<std::string> result;
    for (const auto& header : read_headers(code, "k.cu", {{}, folder_, searched_})) result.push_back(header.name);
    return result;
  }
  std::string error(const std::string& code) {
    return message_of<SpecError>([&] { read_headers(code, "k.cu", {{}, folder_, searched_}); });
  }

  fs::path folder_;
  std::vector<fs::path> searched_;  // by -I options
};

TEST(FindIncludes, SeesDirectivesHoweverTheyAreWritten) {
  EXPECT_THAT(quoted("#include \"a.cuh\"\n  #  include/* */\"b.cuh\" // x\n/* */ #include \"c.cuh\"\r\n"),
              ElementsAre("a.cuh", "b.cuh", "c.cuh"));
  EXPECT_THAT(quoted("#include \\\n  \"a.cuh\"\n#if 0\n#include \"b.cuh\"\n#endif\n"), ElementsAre("a.cuh", "b.cuh"));
  EXPECT_THAT(quoted("\xEF\xBB\xBF#inc\\\nlude \"a//b.cuh\"\n"), ElementsAre("a//b.cuh"));
}

TEST(FindIncludes, OverlooksCommentsAndLiterals) {
  EXPECT_THAT(quoted("// #include \"a\"\n/*\n#include \"b\"\n*/\n"), ElementsAre());
  EXPECT_THAT(quoted("// x \\\n#include \"a\"\n"), ElementsAre());
  EXPECT_THAT(quoted("auto s = R\"x(\n#include \"a\"\n)x\";\n#include \"b\"\n"), ElementsAre("b"));
  EXPECT_THAT(quoted("auto s = \"\\\"\\\n#include <a>\";\n#include \"b\"\n"), ElementsAre("b"));
  EXPECT_THAT(quoted("char c = '\"';\nint n = 1'000'000;\n#include \"b\"\n"), ElementsAre("b"));
  EXPECT_THAT(quoted("int x; #include \"a\"\n#included \"b\"\n#include_next \"c\"\n#include <d>\n#include MACRO\n"),
              ElementsAre());
  EXPECT_THAT(quoted("auto s = FOR\"(\"; char c = L'\"';\n#include \"b\"\n"), ElementsAre("b"));
}

TEST(FindIncludes, KnowsWhichOnesBeginInTheNextFolder) {
  const auto found = find_includes("#include_next <a>\n#include <b>\n#include_nextly <c>\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kind, Include::Kind::next);
  EXPECT_EQ(found[0].name, "a");
  EXPECT_EQ(found[1].kind, Include::Kind::opens);
}

// What is asked for or has a macro: "<name>" or "\"name\"" with its offset; "?" for a macro.
std::vector<std::string> questions(std::string_view text) {
  std::vector<std::string> names;
  for (const Include& include : find_includes(text))
    if (!include.is_read())
      names.push_back(include.name.empty() ? "?"
                      : include.quoted     ? "\"" + include.name + "\""
                                           : "<" + include.name + ">");
  return names;
}

TEST(FindIncludes, TellsWhatIsAskedFor) {
  EXPECT_THAT(questions("#if defined(__has_include) && __has_include(<a.h>) || !__has_include( \"b.h\")\n#endif\n"
                        "#elif __has_include_next(<c.h>)\n%:if __has_in\\\nclude(<d.h>)\n"),
              ElementsAre("<a.h>", "\"b.h\"", "<c.h>", "<d.h>"));
  EXPECT_THAT(questions("#embed <a.bin>\n#embed DATA\n#if __has_embed(<b.bin>)\n"),
              ElementsAre("<a.bin>", "?", "<b.bin>"));
}

TEST(FindIncludes, TellsWhereAMacroHasTheName) {
  EXPECT_THAT(questions("#if __has_include(NAME)\n"), ElementsAre("?"));
  EXPECT_THAT(questions("#define OPTIONAL __has_include(NAME)\n"), ElementsAre("?"));
  EXPECT_THAT(questions("#define HAS(x) __has_include(x)\n#if HAS(<cub/a.cuh> ) && HAS(\"b.h\")\n"),
              ElementsAre("<cub/a.cuh>", "\"b.h\""));
  EXPECT_THAT(questions("#ifndef __has_include\n#define __has_include(...) 0\n#endif\n#ifdef __has_include\n"
                        "#if N(3) < M(2)\nint x = f(\"text\");\n#define LOG(x) log(\"text\", x)\n"),
              testing::IsEmpty());
  const auto found = find_includes("#include NAME\n#include TEXT(<a>)\n");
  ASSERT_EQ(found.size(), 2u);
  for (const Include& include : found) EXPECT_TRUE(include.is_read() && include.name.empty());
}

TEST(FindIncludes, SurvivesTextThatEndsAnywhere) {
  const std::string text =
      "#include \"a\"\n/* x */ auto s = R\"d(x)d\"; char c = '\\''; // y \\\n#include <b>\n#include\\\n\"c";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    EXPECT_LE(find_includes(std::string_view(text).substr(0, length)).size(), 2u);
  }
}

TEST_F(Headers, ThoseThatAQuestionFindsAreReadAndOthersMayBeMissing) {
  write("there.cuh", "int there;\n");
  const std::string text =
      "#if __has_include(\"there.cuh\")\n#endif\n#if __has_include(\"missing.cuh\")\n#include "
      "\"missing.cuh\"\n#endif\n";
  EXPECT_THAT(names(text), ElementsAre("there.cuh"));
  write("in/missing.cuh", "");
  write("in/includes_it.cuh", "#include \"missing.cuh\"\n");
  EXPECT_THAT(names(text + "#include \"in/includes_it.cuh\"\n"),
              ElementsAre("there.cuh", "in/includes_it.cuh", "missing.cuh"));
}

TEST(KernelHeaders, AreReadTransitivelyAndOnceEach) {
  const auto spec = read_kernel_file(ATTUNE_TEST_DATA "/kernels/headers/kernel.cu");
  std::vector<std::string> names;
  for (const auto& header : spec.source.headers) names.push_back(header.name);
  EXPECT_THAT(names, ElementsAre("outer.cuh", "inner/inner.cuh", "../outer.cuh"));
  EXPECT_THAT(spec.source.headers[1].text, HasSubstr("fill_one"));
  EXPECT_TRUE(includes_attune(spec.source));
}

TEST_F(Headers, MayIncludeEachOtherInACircle) {
  write("a.cuh", "#include \"b.cuh\"\n");
  write("b.cuh", "#include \"a.cuh\"\n#include \"attune.cuh\"\n");
  EXPECT_THAT(names("#include \"a.cuh\"\n"), ElementsAre("a.cuh", "b.cuh"));
}

TEST_F(Headers, ThoseThatAreNotFoundAreLeftToTheCompiler) {
  EXPECT_THAT(names("#include \"cuda_runtime.h\"\n#ifdef TIMING\n#include \"timing.h\"\n#endif\n"), ElementsAre());
  write("a.cuh", "\n#include \"gone.cuh\"\n");
  fs::create_directories(folder_ / "folder.cuh");
  EXPECT_THAT(names("#include \"a.cuh\"\n#include \"folder.cuh\"\n"), ElementsAre("a.cuh"));
  write("gone.cuh", "");
  EXPECT_THAT(names("#include \"a.cuh\"\n"), ElementsAre("a.cuh", "gone.cuh"));
}

TEST_F(Headers, InAFolderOfTheToolkitAreTheCompilers) {
  write("toolkit/cuda_runtime.h", "#include \"crt/host_config.h\"\n");
  write("toolkit/crt/host_config.h", "");
  write("toolkit/mma.h", "");
  write("mine/mma_more.h", "");
  searched_ = {folder_ / "toolkit", folder_ / "mine"};
  EXPECT_THAT(names("#include \"cuda_runtime.h\"\n#include \"mma.h\"\n#include \"mma_more.h\"\n"),
              ElementsAre("mma_more.h"));
  fs::remove(folder_ / "toolkit/crt/host_config.h");
  EXPECT_THAT(names("#include \"mma.h\"\n"), ElementsAre("mma.h")) << "a folder with a file of one name is none";
}

TEST_F(Headers, LoseTheirByteOrderMark) {
  write("marked.cuh", "\xEF\xBB\xBFint x;\n");
  EXPECT_EQ(read_headers("#include \"marked.cuh\"\n", "k.cu", {{}, folder_, {}}).at(0).text, "int x;\n");
}

TEST_F(Headers, OfTheUsersDoNotTakeTheNamesOfAttunes) {
  write("attune_mine.cuh", "");
  EXPECT_THAT(error("#include \"attune_mine.cuh\"\n"), HasSubstr("rename it"));
}

TEST_F(Headers, MustBeTextOfASensibleSizeAndNumber) {
  write("nul.cuh", std::string("a\0b", 3));
  EXPECT_THAT(error("#include \"nul.cuh\"\n"), HasSubstr("not UTF-8 text"));
  write("large.cuh", std::string((4u << 20) + 1, ' '));
  EXPECT_THAT(error("#include \"large.cuh\"\n"), HasSubstr("more than 4194304 bytes"));
  std::string many;
  for (int i = 0; i < 65; ++i) {
    write("h" + std::to_string(i) + ".cuh", std::to_string(i));
    many += "#include \"h" + std::to_string(i) + ".cuh\"\n";
  }
  EXPECT_THAT(error(many), HasSubstr("more than 64 headers"));
}

TEST_F(Headers, OfOneNameMustBeOneText) {
  write("a/common.cuh", "1");
  write("b/common.cuh", "2");
  write("a/x.cuh", "#include \"common.cuh\"\n");
  write("b/y.cuh", "#include \"common.cuh\"\n");
  EXPECT_THAT(error("#include \"a/x.cuh\"\n#include \"b/y.cuh\"\n"),
              HasSubstr("y.cuh:1:10: #include \"common.cuh\": two"));
  write("b/common.cuh", "1");
  EXPECT_THAT(names("#include \"a/x.cuh\"\n#include \"b/y.cuh\"\n"), ElementsAre("a/x.cuh", "common.cuh", "b/y.cuh"));
}

TEST_F(Headers, AreFoundBesideTheFileThenInTheFoldersOfOptions) {
  write("near.cuh", "1");
  write("a/near.cuh", "2");
  write("a/far.cuh", "#include \"beside.cuh\"");
  write("a/beside.cuh", "3");
  write("b/far.cuh", "4");
  EXPECT_THAT(names("#include \"far.cuh\"\n"), ElementsAre());
  searched_ = {folder_ / "a", folder_ / "b"};
  EXPECT_THAT(names("#include \"near.cuh\"\n#include \"far.cuh\"\n"), ElementsAre("near.cuh", "far.cuh", "beside.cuh"));
  EXPECT_EQ(read_headers("#include \"near.cuh\"\n", "k.cu", {{}, folder_, searched_}).at(0).text, "1");
}

TEST_F(Headers, OfTheProgramNeedNoFolder) {
  const EmbeddedHeader embedded[] = {{"mine.cuh", "#include \"attune_async.cuh\"\n#include \"parts/inner.cuh\"\n"},
                                     {"parts/inner.cuh", "#include \"mine.cuh\"\n"},
                                     {"unused.cuh", ""}};
  const auto headers = read_headers("#include \"mine.cuh\"\n", "k.cu", {embedded, {}, {}});
  ASSERT_EQ(headers.size(), 3u);
  EXPECT_EQ(headers[0].name, "mine.cuh");
  EXPECT_EQ(headers[1].name, "attune_async.cuh");
  EXPECT_THAT(headers[1].text, HasSubstr("copy_async"));
  EXPECT_EQ(headers[2].name, "parts/inner.cuh");
  // A built-in header is found from a file too, and goes before a file of its name.
  write("attune_async.cuh", "mine");
  EXPECT_THAT(read_headers("#include \"attune_async.cuh\"\n", "k.cu", {{}, folder_, {}}).at(0).text,
              HasSubstr("copy_async"));
  EXPECT_EQ(read_headers("#include \"attune_async.cuh\"\n#include \"elsewhere.cuh\"\n", "k.cu", {}).size(), 1u);
}

}  // namespace
}  // namespace attune::tests
