// Macros as lines of a source: behind which lines they stand, and what they change.
#include "kernel/macro_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace attune {
namespace {

using testing::HasSubstr;

// Of a source that brings mine.cuh along.
std::string leading(std::string_view text) {
  const SourceText source{"k.cu", std::string(text), {{"mine.cuh", ""}, {"attune_rows.cuh", ""}}};
  return std::string(text.substr(0, leading_includes(text, source)));
}

std::string placed(std::string text, std::vector<Macro> macros, std::string_view stop = "") {
  return with_macros({"k.cu", std::move(text), {}}, macros, stop).text;
}

TEST(LeadingIncludes, AreOfHeadersThatTheSourceDoesNotBringAlong) {
  EXPECT_EQ(leading(""), "");
  EXPECT_EQ(leading("__global__ void f();\n#include <a>\n"), "");
  EXPECT_EQ(leading("\n// c\n#include <a>  // why\n\n#include \"cuda_fp16.h\"\n#define N 1\n"),
            "\n// c\n#include <a>  // why\n\n#include \"cuda_fp16.h\"\n");
  EXPECT_EQ(leading("#pragma once\n/* 1\n 2 */ # include <a>\n#include \"mine.cuh\"\n#include <b>\n"),
            "#pragma once\n/* 1\n 2 */ # include <a>\n");
  EXPECT_EQ(leading("#include \"attune_rows.cuh\"\n#include \"mine.cuh\"\n"), "#include \"attune_rows.cuh\"\n");
  EXPECT_EQ(leading("#pragma once\nint x;"), "");
  EXPECT_EQ(leading("#include <a>\n#if 1\n#include <b>\n#endif\n"), "#include <a>\n");
  EXPECT_EQ(leading("#include <a>\n#include MACRO\n"), "#include <a>\n");
  EXPECT_EQ(leading("#include <a>"), "#include <a>");
  EXPECT_EQ(leading("#include \\\n <a>\r\n#include <b>\r\nint x;"), "#include \\\n <a>\r\n#include <b>\r\n");
}

TEST(Macros, StandBehindTheLeadingIncludesAndLinesKeepTheirNumbers) {
  EXPECT_EQ(placed("int x;\n", {}), "int x;\n");
  EXPECT_EQ(placed("int x;\n", {{"N", "3"}}), "#define N 3\n#line 1 \"k.cu\"\nint x;\n");
  EXPECT_EQ(placed("// c\n#include <a>\nint x;\n", {{"N", "3"}, {"T", "float"}}, "#pragma stop\n"),
            "// c\n#include <a>\n#pragma stop\n#define N 3\n#define T float\n#line 3 \"k.cu\"\nint x;\n");
  EXPECT_EQ(placed("#include <a>", {{"N", "3"}}), "#include <a>\n#define N 3\n#line 1 \"k.cu\"\n");
}

TEST(Macros, ReplaceWhatTheSourceItselfDefines) {
  EXPECT_THAT(placed("#define N 16\nint x[N];\n", {{"N", "3"}}), HasSubstr("#define N 3\nint x[N];\n"));
  EXPECT_THAT(placed("#ifndef N\n #  define N (16 + 1) // as measured\n#endif\n", {{"N", "3"}}),
              HasSubstr("#ifndef N\n #  define N 3 // as measured\n#endif\n"));
  EXPECT_THAT(placed("#define N\nint x;\n", {{"N", "3"}}), HasSubstr("#define N 3\nint x;\n"));
  EXPECT_THAT(placed("#define N(a) a\n#define NN 1\n#undef N\n// #define N 4\n", {{"N", "3"}}),
              HasSubstr("#define N(a) a\n#define NN 1\n#undef N\n// #define N 4\n"));
  EXPECT_THAT(placed("#define N 1 + \\\n  2\nint x;\n", {{"N", "3"}}), HasSubstr("#define N 3\\\n\nint x;\n"));
  EXPECT_THAT(placed("#define N", {{"N", "3"}}), HasSubstr("#define N 3"));
  const SourceText headers =
      with_macros({"k.cu", "", {{"a.cuh", "#define N 8\n"}, {"b.cuh", "int n;\n"}}}, {{{"N", "3"}}});
  EXPECT_EQ(headers.headers[0].text, "#define N 3\n");
  EXPECT_EQ(headers.headers[1].text, "int n;\n");
}

TEST(Macros, StandInTheHeaderWithWhichTheSourceBegins) {
  const SourceText source{"k.cu", "\n#include \"whole.cu\"\nint x;\n", {{"whole.cu", "#include <a>\nint y;\n"}}};
  const SourceText placed = with_macros(source, {{{"N", "3"}}});
  EXPECT_EQ(placed.text, source.text);
  EXPECT_EQ(placed.headers[0].text, "#include <a>\n#define N 3\n#line 2 \"whole.cu\"\nint y;\n");
  const SourceText circle{"k.cu", "#include \"a\"\n", {{"a", "#include \"b\"\n"}, {"b", "#include \"a\"\n"}}};
  EXPECT_THAT(with_macros(circle, {{{"N", "3"}}}).text, HasSubstr("#define N 3"));
}

}  // namespace
}  // namespace attune
