#include "device/host/source_rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace attune {
namespace {

// White space does not matter in these.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space) result += c;
    if (space && !result.empty() && result.back() != ' ') result += ' ';
  }
  return result;
}

void expect(const std::string& source, const std::string& wanted) {
  const std::string rewritten = rewrite_shared_memory(source);
  EXPECT_EQ(squeezed(rewritten), squeezed(wanted));
  EXPECT_EQ(std::count(rewritten.begin(), rewritten.end(), '\n'), std::count(source.begin(), source.end(), '\n'))
      << source;
}

constexpr const char* shared_array_text = " = ::attune_host::dynamic_shared_array()";

TEST(SourceRewrite, MakesDynamicSharedMemoryAReference) {
  expect("void f() { extern __shared__ float tile[]; }",
         "void f() { float (&tile)[]" + std::string(shared_array_text) + "; }");
  expect("void f() { __shared__ extern float tile[]; }",
         "void f() { float (&tile)[]" + std::string(shared_array_text) + "; }");
  expect("void f() { extern volatile __shared__ float tile[]; }",
         "void f() { volatile float (&tile)[]" + std::string(shared_array_text) + "; }");
  expect("void f() { extern __shared__ Vec<T, 4> rows[][N + 1]; }",
         "void f() { Vec<T, 4> (&rows)[][N + 1]" + std::string(shared_array_text) + "; }");
}

TEST(SourceRewrite, KnowsNamespacesFromFunctions) {
  expect("extern __shared__ int a[];", "static thread_local int (&a)[]" + std::string(shared_array_text) + ";");
  expect(
      "namespace x { extern \"C\" { extern __shared__ int a[]; } void f() { extern __shared__ int b[]; } extern "
      "__shared__ int c[]; }",
      "namespace x { extern \"C\" { static thread_local int (&a)[]" + std::string(shared_array_text) +
          "; } void f() { int (&b)[]" + shared_array_text + "; } static thread_local int (&c)[]" + shared_array_text +
          "; }");
}

TEST(SourceRewrite, LeavesOutAlignment) {
  for (const char* alignment :
       {"__align__(16)", "alignas(16)", "alignas(sizeof(T) * (2))", "__attribute__((aligned(8)))"}) {
    expect("void f() { extern __shared__ " + std::string(alignment) + " char raw[]; }",
           "void f() { char (&raw)[]" + std::string(shared_array_text) + "; }");
    expect("void f() { extern " + std::string(alignment) + " __shared__ char raw[]; }",
           "void f() { char (&raw)[]" + std::string(shared_array_text) + "; }");
  }
}

TEST(SourceRewrite, DropsStaticInFrontOfShared) {
  expect("void f() { static __shared__ int a[4]; }", "void f() { __shared__ int a[4]; }");
  expect("void f() { __shared__ static int a[4]; }", "void f() { __shared__ int a[4]; }");
  expect("void f() { static volatile __shared__ int a; static int b; }",
         "void f() { volatile __shared__ int a; static int b; }");
}

TEST(SourceRewrite, LeavesEverythingElseAlone) {
  for (const std::string source :
       {"__shared__ float tile[32][33];", "extern int x[]; extern \"C\" __global__ void f();",
        "// extern __shared__ int a[];\n", "/* static __shared__\n int a; */",
        "const char* s = \"extern __shared__ int a[];\";", "const char* s = R\"x(extern __shared__ int a[];)\" )x\";",
        "char c = '\"'; int n = 1'000'000; char d = '\\'';", "#define SHARED __shared__\nstatic int x;",
        "int my__shared__ = 3; static int __shared__2 = 4;", "// continued \\\n extern __shared__ int a[];\nint x;",
        "\"never ends\nint x;"}) {
    EXPECT_EQ(rewrite_shared_memory(source), source);
  }
}

TEST(SourceRewrite, KeepsLinesAndCommentsInsideDeclarations) {
  const std::string rewritten = rewrite_shared_memory(
      "void f() {\n  extern /* the tile */\n  __shared__\n  float // of floats\n  tile[];\n  int here;\n}");
  const std::size_t before = rewritten.find("int here");
  ASSERT_NE(before, std::string::npos);
  EXPECT_EQ(std::count(rewritten.begin(), rewritten.begin() + static_cast<std::ptrdiff_t>(before), '\n'), 5);
  EXPECT_NE(rewritten.find("/* the tile */"), std::string::npos);
  EXPECT_NE(rewritten.find("// of floats"), std::string::npos);
}

TEST(SourceRewrite, RewritesInsideMacros) {
  expect(
      "#define TILE(T) extern __shared__ T tile[]\nvoid f() { TILE(int); }",
      "#define TILE(T) static thread_local T (&tile)[]" + std::string(shared_array_text) + "\nvoid f() { TILE(int); }");
  expect("#define WORKSPACE static __shared__ int w[4];\n", "#define WORKSPACE __shared__ int w[4];\n");
}

TEST(SourceRewrite, SurvivesAnyPrefix) {
  const std::string source =
      "namespace a { void f() { extern __shared__ alignas(16) float x[][3]; static __shared__ int y; const char* z = "
      "R\"(\")\"; } } // end\n#define A \\\n B\n";
  for (std::size_t length = 0; length <= source.size(); ++length) {
    const std::string prefix = source.substr(0, length);
    const std::string rewritten = rewrite_shared_memory(prefix);
    EXPECT_EQ(std::count(rewritten.begin(), rewritten.end(), '\n'), std::count(prefix.begin(), prefix.end(), '\n'))
        << prefix;
  }
}

}  // namespace
}  // namespace attune
