#include "device/host/source_rewrite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace attune {
namespace {

const std::string initial = " = ::attune_host::dynamic_shared_array()";

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

TEST(SourceRewrite, MakesDynamicSharedMemoryAReference) {
  for (const auto& [source, wanted] :
       {std::pair("extern __shared__ float tile[];", "float (&tile)[]"),
        {"__shared__ extern float tile[];", "float (&tile)[]"},
        {"extern volatile __shared__ float tile[];", "volatile float (&tile)[]"},
        {"extern __shared__ Vec<T, 4> rows[][N + 1];", "Vec<T, 4> (&rows)[][N + 1]"},
        {"extern __shared__ __align__(16) char raw[];", "__align__(16) char (&raw)[]"},
        {"extern alignas(sizeof(T) * (2)) __shared__ char raw[];", "alignas(sizeof(T) * (2)) char (&raw)[]"}})
    expect("void f() { " + std::string(source) + " }", "void f() { " + std::string(wanted) + initial + "; }");
  expect("void f() { extern __shared__ int a[], b[]; }",
         "void f() { int (&a)[]" + initial + ", (&b)[]" + initial + "; }");
}

TEST(SourceRewrite, TellsNamespacesFromFunctions) {
  expect("extern __shared__ alignas(16) int a[], b[];",
         "alignas(16) int static thread_local (&a)[]" + initial + ", (&b)[]" + initial + ";");
  expect(
      "namespace x { extern \"C\" { extern __shared__ int a[]; } void f() { extern __shared__ int b[]; } extern "
      "__shared__ int c[]; }",
      "namespace x { extern \"C\" { int static thread_local (&a)[]" + initial + "; } void f() { int (&b)[]" + initial +
          "; } int static thread_local (&c)[]" + initial + "; }");
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
  expect("#define TILE(T) extern __shared__ T tile[]\nvoid f() { TILE(int); }",
         "#define TILE(T) T static thread_local (&tile)[]" + initial + "\nvoid f() { TILE(int); }");
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
