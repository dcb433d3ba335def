// What sanitized runs on the host device are made of: names of sanitizers, the fenced form of shared variables, and the
// runtime libraries of the compiler. Whole runs are in tests/cli/sanitize_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "attune/error.hpp"
#include "device/host/compiler_process.hpp"
#include "device/host/sanitizer.hpp"
#include "device/host/sanitizer_runtimes.hpp"
#include "device/host/source_rewrite.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

TEST(SanitizerNames, AreReadAndWritten) {
  EXPECT_EQ(parse_sanitizers("address").text(), "address");
  EXPECT_EQ(parse_sanitizers("undefined").text(), "undefined");
  EXPECT_EQ(parse_sanitizers("undefined,address").text(), "address,undefined");
  EXPECT_FALSE(Sanitizers{}.any());
  for (const char* const wrong : {"", "thread", "address,", ",address", "address undefined", "Address"})
    EXPECT_THAT([&] { parse_sanitizers(wrong); }, ThrowsMessage<UsageError>(HasSubstr("address, undefined"))) << wrong;
}

TEST(Sanitizers, AreNoneInAnOrdinaryProcess) {
  EXPECT_FALSE(sanitizers().any());
  char memory[64] = {};
  fence_off({Fence::Around::array, "", memory + 16, 16, 16, 16});
  memory[0] = memory[63] = 1;  // nobody minds
  remove_fence(memory + 16);
  EXPECT_EQ(memory[0] + memory[63], 2);
}

std::string fenced(const std::string& source) { return rewrite_shared_memory(source, SharedVariables::fenced); }

TEST(FencedVariables, AreDeclaredOneByOne) {
  const std::string text = fenced("void f() { __shared__ volatile float a[4][N < 3 ? 1 : 2], b; }");
  EXPECT_THAT(text, AllOf(HasSubstr("{ volatile float a[4][N < 3 ? 1 : 2]; }"), HasSubstr("{ volatile float b; }"),
                          HasSubstr("(\"a\");"), HasSubstr("static auto& b = ")));
  EXPECT_THAT(text, Not(HasSubstr("__shared__")));
}

TEST(FencedVariables, KeepTypesWithCommasAndAlignment) {
  EXPECT_THAT(fenced("void f() { static __shared__ Pair<int, float> p[3]; }"), HasSubstr("{ Pair<int, float> p[3]; }"));
  EXPECT_THAT(fenced("void f() { __shared__ __align__(16) int x; }"), HasSubstr("{ __align__(16) int x; }"));
  EXPECT_THAT(fenced("void f() { float __shared__ x[2]; }"), HasSubstr("float x[2]; }"));
  EXPECT_THAT(fenced("void f() { __shared__ typename A<T>::Storage s; }"), HasSubstr("typename A<T>::Storage s; }"));
}

TEST(FencedVariables, KeepLines) {
  const std::string source = "void f() {\n  __shared__ int /* of\nthree */ tile[2]\n  [3];\n  g();\n}\n";
  const std::string text = fenced(source);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  EXPECT_LT(text.find("tile"), text.find('\n', text.find("struct")));
}

TEST(FencedVariables, LeaveOtherDeclarationsAlone) {
  for (const std::string source :
       {"__shared__ int outside;", "#define TILE __shared__ int tile[3];\n",
        "void f() { __shared__ struct { int a; } s; }", "void f() { __shared__ int x[2] __attribute__((aligned(8))); }",
        "void f() { __shared__ int *a, *b; }"})
    EXPECT_EQ(fenced(source), source);
}

// $ATTUNE_HOST_CXX for the time of a test.
class SanitizerRuntimes : public testing::Test {
 protected:
  void TearDown() override { unsetenv("ATTUNE_HOST_CXX"); }
  // A compiler of this name whose libraries are those that `cases` prints.
  void use_compiler(const std::string& name, const std::string& cases) {
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path) << "#!/bin/sh\ncase \"$*\" in\n" << cases << "\n*dumpversion*) echo 99.1 ;;\nesac\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    setenv("ATTUNE_HOST_CXX", path.c_str(), 1);
  }
  std::string file(const std::string& name, const std::string& text) {
    const std::string path = (folder_.path() / name).string();
    std::ofstream(path) << text;
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(SanitizerRuntimes, OfGccAreTwoLibrariesAddressFirst) {
  const std::string asan = file("libasan.so", "\177ELF"), ubsan = file("libubsan.so", "\177ELF");
  use_compiler("g++", "*=libasan.so) echo " + asan + ";;\n*=libubsan.so) echo " + ubsan + ";;");
  EXPECT_EQ(sanitizer_runtimes({true, true}), (std::vector<std::string>{asan, ubsan}));
  EXPECT_EQ(sanitizer_runtimes({false, true}), std::vector<std::string>{ubsan});
}

TEST_F(SanitizerRuntimes, AreFoundBehindLinkerScripts) {
  const std::string script = file("libasan.so", "/* GNU ld script */\nINPUT ( /usr/lib64/libasan.so.8.0.0 )\n");
  use_compiler("g++", "*=libasan.so) echo " + script + ";;");
  EXPECT_EQ(sanitizer_runtimes({true, false}), std::vector<std::string>{"/usr/lib64/libasan.so.8.0.0"});
}

TEST_F(SanitizerRuntimes, OfClangAreOneLibrary) {
  const std::string asan = file("libclang_rt.asan.so", "\177ELF");
  use_compiler("clang++", "*=libclang_rt.asan.so) echo " + asan + ";;\n*=*) echo nothing;;");
  EXPECT_EQ(sanitizer_runtimes({true, true}), std::vector<std::string>{asan});
  EXPECT_THAT(
      [] {
        sanitizer_runtimes({false, true});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("ubsan_standalone"), HasSubstr("compiler-rt"))));
}

TEST_F(SanitizerRuntimes, ThatAreMissingAreNamedWithWhatToInstall) {
  use_compiler("g++", "*=libasan.so) echo libasan.so ;;");
  EXPECT_THAT(
      [] {
        sanitizer_runtimes({true, true});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("g++ 99.1"), HasSubstr("libasan.so"), HasSubstr("install"))));
}

}  // namespace
}  // namespace attune
