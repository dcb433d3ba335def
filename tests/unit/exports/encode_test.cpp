// The bytes of scalars that a launch by templates passes, against attune's own encoding.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "attune/error.hpp"
#include "exported_program.hpp"
#include "exports/header.hpp"
#include "kernel/instantiate.hpp"
#include "spec/kernel_file.hpp"

namespace attune::test {
namespace {

const std::vector<Value>& values() {
  static const std::vector<Value> all = {true,
                                         false,
                                         0,
                                         1,
                                         -1,
                                         127,
                                         128,
                                         255,
                                         256,
                                         -128,
                                         65504,
                                         32767,
                                         65535,
                                         65519,
                                         65520,
                                         1.0,
                                         0.1,
                                         -0.1,
                                         65519.9,
                                         65520.0,
                                         1e-7,
                                         6e-8,
                                         3e-8,
                                         2.98e-8,
                                         1e38,
                                         3.4e38,
                                         3.5e38,
                                         3.39e38,
                                         1e-40,
                                         1e-45,
                                         -0.0,
                                         2049,
                                         2051,
                                         0.333,
                                         257,
                                         16777217,
                                         9007199254740993,
                                         2147483647,
                                         4294967295,
                                         4294967296,
                                         0x1p63,
                                         0x1p64,
                                         1.8e19,
                                         -0x1p63,
                                         1e300,
                                         2.5,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min()};
  return all;
}

const std::vector<std::string>& types() {
  static const std::vector<std::string> all = {"bool",   "int8",   "int16", "int32",  "int64", "uint8",   "uint16",
                                               "uint32", "uint64", "float", "double", "half",  "bfloat16"};
  return all;
}

std::string value_code(const Value& value) {
  if (value.is_boolean()) return fmt::format("flag({})", value.text());
  if (value.is_real()) return fmt::format("real({})", value.text());
  return value.integer() == std::numeric_limits<std::int64_t>::min() ? "whole(least_integer)"
                                                                     : fmt::format("whole({})", value.text());
}

std::string expected_bytes(const Value& value, const std::string& type, unsigned size) {
  try {
    std::string text;
    const auto bytes = encode_scalar(value, type);
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
    return text;
  } catch (const Error&) {
    return "does not fit";
  }
}

TEST(EncodedScalars, HaveTheBytesThatAttunePasses) {
  const KernelSpec spec = load_kernel("add");
  std::ifstream stream(ATTUNE_SOURCE_DIR "/tuner/exports/header/encode.inc", std::ios::binary);
  std::string text = exported_header({.spec = spec, .records = {}, .name_space = "attune_export"}) +
                     "#include <cstdio>\nnamespace attune_export {\n" +
                     std::string(std::istreambuf_iterator<char>(stream), {}) + R"cpp(
    namespace detail {
    static void print(const Value& value, std::string_view type) {
      Argument argument;
      argument.type = type;
      argument.value = value;
      if (scalar(value, type, "")) {
        std::puts("does not fit");
        return;
      }
      const Bytes bytes = encoded(argument);
      for (std::int64_t i = 0; i < find_type(type)->size; ++i) std::printf("%02x", bytes[static_cast<std::size_t>(i)]);
      std::puts("");
    }
    static void all() {
  )cpp";
  for (const std::string& type : types())
    for (const Value& value : values()) text += fmt::format("  print({}, \"{}\");\n", value_code(value), type);
  std::istringstream lines(output_of_program(text + "}\n}}\nint main() { attune_export::detail::all(); }\n"));
  int fitting = 0;
  for (const std::string& type : types())
    for (const Value& value : values()) {
      std::string line;
      std::getline(lines, line);
      const std::string expected = expected_bytes(value, type, type_named(type).size);
      EXPECT_EQ(line, expected) << value.text() << " as " << type;
      if (expected != "does not fit") ++fitting;
    }
  EXPECT_GT(fitting, 200);
}

}  // namespace
}  // namespace attune::test
