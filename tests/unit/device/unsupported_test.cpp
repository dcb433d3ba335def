#include "device/host/unsupported.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include "device/host/unsupported_names.hpp"

namespace attune {
namespace {

std::string refused(std::string_view source) { return unsupported_use(source, "k.cu").value_or(""); }

bool names(const std::string& message, std::string_view name, int line) {
  return message.starts_with("k.cu:" + std::to_string(line) + ": error: `" + std::string(name) +
                             "` is not supported on the host device: ") &&
         message.ends_with("; see docs/host_device.md");
}

std::string file_text(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Case {
  std::string_view source;
  std::string_view name;
  int line;
};

std::ostream& operator<<(std::ostream& out, const Case& tried) { return out << tried.source; }

class Refused : public ::testing::TestWithParam<Case> {};

TEST_P(Refused, IsNamedWithItsLine) {
  const std::string message = refused(GetParam().source);
  EXPECT_TRUE(names(message, GetParam().name, GetParam().line)) << '"' << message << '"';
}

INSTANTIATE_TEST_SUITE_P(
    Unsupported, Refused,
    ::testing::Values(
        Case{"int x;\n  asm volatile(\"bar.sync 0;\");", "asm", 2}, Case{"__asm__(\"\");", "__asm__", 1},
        Case{"namespace cg = cooperative_groups;", "cooperative_groups", 1},
        Case{"\n\n#include <cooperative_groups.h>", "cooperative_groups.h", 3},
        Case{"#  include \"cuda_fp16.h\" // half", "cuda_fp16.h", 1},
        Case{"#include <cuda_runtime.h>\n", "cuda_runtime.h", 1}, Case{"#include <cub/cub.cuh>", "cub/cub.cuh", 1},
        Case{"__half x;", "__half", 1}, Case{"__half2 x;", "__half2", 1},
        Case{"auto v = tex2D<float>(t, x, y);", "tex2D", 1}, Case{"cudaTextureObject_t t;", "cudaTextureObject_t", 1},
        Case{"cudaMalloc(&p, 4);", "cudaMalloc", 1}, Case{"child<<<1, 32>>>();", "<<<", 1},
        Case{"nvcuda::wmma::fragment<int> f;", "nvcuda", 1}, Case{"cuda :: atomic<int> a;", "cuda", 1},
        Case{"__shfl_down(x, 1);", "__shfl_down", 1}, Case{"curandState s;", "curandState", 1},
        Case{"__vadd4(a, b)", "__vadd4", 1}, Case{"const char* s = R\"x(asm\n)\" )x\"; asm(\"\");", "asm", 2},
        Case{"int n = 1'000; asm(\"\"); char c = '\\'';", "asm", 1}, Case{"/* a\nb */ asm(\"\");", "asm", 2},
        Case{"// to be \\\ncontinued\nasm(\"\");", "asm", 3}, Case{"float f = 1.f; asm(\"\");", "asm", 1},
        Case{"f(args...); void g(auto... asm_, ...); asm(\"\");", "asm", 1}));

class Accepted : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Accepted, IsLeftToTheCompiler) { EXPECT_EQ(refused(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(
    Unsupported, Accepted,
    ::testing::Values("", "#", "#include", "#include <", "#define", "\"", "'", "R\"", "/*", "/", "\\", "#if",
                      "#else\nint x;", "#endif", "// asm\nint x;", "/* asm(\"\") */", "f(\"asm cudaMalloc <<<\");",
                      "char c = '\"'; // asm", "u8\"asm\"; LR\"(asm)\"; R\"d()\" asm)d\";",
                      "x.asm; p->cudaMalloc; p -> tex2D;", "int cuda = 1, cub, cuda_block, plasm, asm2, cudable;",
                      "#include <cmath>\n#include \"attune.cuh\"", "#error asm is missing\n#pragma unroll\n",
                      "a << b; c <<= d; f<g<1>> x;", "__shfl_down_sync(~0u, x, 1); __hadd(1, 2); __any_sync(~0u, 1);",
                      "// asm \\\n asm(\"\");\n", "#define A 1 // asm\n"));

struct Conditional {
  std::string_view condition;
  bool first_refused;   // `asm` in the first branch
  bool second_refused;  // `asm` after #else
};

std::ostream& operator<<(std::ostream& out, const Conditional& tried) { return out << tried.condition; }

class Conditions : public ::testing::TestWithParam<Conditional> {};

TEST_P(Conditions, LeaveOutWhatTheHostNeverCompiles) {
  const std::string open = std::string(GetParam().condition) + "\n";
  EXPECT_EQ(!refused(open + "asm(\"\");\n#else\n#endif\n").empty(), GetParam().first_refused);
  EXPECT_EQ(!refused(open + "#else\nasm(\"\");\n#endif\n").empty(), GetParam().second_refused);
  EXPECT_FALSE(refused(open + "#else\n#endif\nasm(\"\");\n").empty()) << "after the #endif all counts again";
}

INSTANTIATE_TEST_SUITE_P(
    Unsupported, Conditions,
    ::testing::Values(
        Conditional{"#if !defined(ATTUNE_HOST)", false, true}, Conditional{"#ifndef ATTUNE_HOST", false, true},
        Conditional{"#ifdef ATTUNE_HOST", true, false}, Conditional{"#if ATTUNE_HOST", true, false},
        Conditional{"#if defined(__CUDA_ARCH__)", false, true},
        Conditional{"#ifdef __CUDA_ARCH__ // GPUs", false, true},
        Conditional{"# if defined __CUDA_ARCH__ && \\\n  X > 3", false, true},
        Conditional{"#if __CUDA_ARCH__ >= 800", false, true}, Conditional{"#if 800L <= __CUDA_ARCH__", false, true},
        Conditional{"#if !(__CUDA_ARCH__ < 800) || defined(__CUDACC__)", false, true},
        Conditional{"#if (defined(ATTUNE_HALF) || (defined(__CUDACC__) && !defined(__CUDACC_RTC__)))", false, true},
        Conditional{"#if X", true, true}, Conditional{"#if X > 2 || ATTUNE_HOST", true, false},
        Conditional{"#if X + 1", true, true}, Conditional{"#if __has_include(<x>)", true, true},
        Conditional{"#if defined(X) && !defined(ATTUNE_HOST)", false, true}, Conditional{"#if 0", false, true},
        Conditional{"#if defined(__CUDA_ARCH__) && F(1, (2)) > 3", false, true}, Conditional{"#if 1", true, false},
        Conditional{"#if ((", true, true}, Conditional{"#if 1 ? 0 : 1", true, true},
        Conditional{"#ifdef X", true, true}));

TEST(UnsupportedUse, FollowsNestedAndAlternativeConditions) {
  EXPECT_EQ(
      refused("#ifdef __CUDA_ARCH__\n#ifdef ATTUNE_HOST\nasm(\"\");\n#else\nasm(\"\");\n#endif\nasm(\"\");\n#endif"),
      "");
  EXPECT_EQ(refused("#if X\n#elif defined(__CUDACC__)\nasm(\"\");\n#endif"), "");
  EXPECT_EQ(refused("#if ATTUNE_HOST\n#elif X\nasm(\"\");\n#else\nasm(\"\");\n#endif"), "");
  EXPECT_TRUE(names(refused("#if X\n#elif Y\nasm(\"\");\n#endif"), "asm", 3));
  EXPECT_EQ(refused("#ifdef __CUDA_ARCH__\nit's R\"( 'asm'\n#endif\nint x;"), "");
}

TEST(UnsupportedUse, KnowsMacrosThatOnlyTextLeftOutDefines) {
  EXPECT_EQ(refused("#ifdef __CUDACC__\n#define FAST 1\n#endif\n#ifdef FAST\nasm(\"\");\n#endif"), "");
  EXPECT_FALSE(
      refused("#ifdef __CUDACC__\n#define FAST 1\n#else\n#define FAST 2\n#endif\n#ifdef FAST\nasm(\"\");\n#endif")
          .empty());
}

TEST(UnsupportedUse, FindsUsesInMacroBodies) {
  EXPECT_TRUE(names(refused("#define BARRIER \\\n  asm(\"bar.sync 0;\")\n"), "asm", 2));
}

TEST(UnsupportedUse, SurvivesDeepConditions) {
  EXPECT_FALSE(refused("#if " + std::string(100000, '(') + "\nasm(\"\");\n#endif").empty());
  EXPECT_FALSE(refused("#if " + std::string(100000, '!') + "X\nasm(\"\");\n#endif").empty());
}

TEST(UnsupportedUse, AcceptsTheBuiltInKernels) {
  for (const char* const name : {"attune.cuh", "axpy.cu", "transpose.cu", "reduce.cu"}) {
    const std::string text = file_text(std::string(ATTUNE_SOURCE_DIR "/kernels/") + name);
    EXPECT_EQ(unsupported_use(text, name).value_or(""), "");
  }
}

TEST(UnsupportedUse, IsListedInTheDocumentation) {
  const std::string page = file_text(ATTUNE_SOURCE_DIR "/docs/host_device.md");
  const auto listed = [&](std::string_view name) {
    while (name.ends_with('*')) name.remove_suffix(1);
    return page.find("`" + std::string(name) + "`") != std::string::npos;
  };
  for (const Refusal& refusal : refused_names) EXPECT_TRUE(listed(refusal.name)) << refusal.name;
  for (const Refusal& refusal : refused_headers) EXPECT_TRUE(listed(refusal.name)) << refusal.name;
}

// A file cut short anywhere: no position may run over the end.
TEST(UnsupportedUse, SurvivesEveryTruncation) {
  const std::string text = file_text(ATTUNE_SOURCE_DIR "/kernels/attune.cuh") +
                           "\n#if X /*\n*/ \\\n && (Y)\nR\"a(b)a\" L'\\'' \"\\\n\"\n#endif";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    const std::string piece = text.substr(0, length);
    EXPECT_EQ(refused(piece), "") << length;
  }
}

}  // namespace
}  // namespace attune
