// Every type that attune knows passes through the C interface, as a scalar and as an array.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <list>
#include <numeric>

#include "c_api/arguments.hpp"
#include "c_api_fixture.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

constexpr std::pair<attune_type, std::string_view> constants[] = {
    {ATTUNE_BOOL, "bool"},          {ATTUNE_INT8, "int8"},     {ATTUNE_INT16, "int16"},
    {ATTUNE_INT32, "int32"},        {ATTUNE_INT64, "int64"},   {ATTUNE_UINT8, "uint8"},
    {ATTUNE_UINT16, "uint16"},      {ATTUNE_UINT32, "uint32"}, {ATTUNE_UINT64, "uint64"},
    {ATTUNE_FLOAT, "float"},        {ATTUNE_DOUBLE, "double"}, {ATTUNE_HALF, "half"},
    {ATTUNE_BFLOAT16, "bfloat16"},  {ATTUNE_FLOAT2, "float2"}, {ATTUNE_FLOAT4, "float4"},
    {ATTUNE_DOUBLE2, "double2"},    {ATTUNE_INT2, "int2"},     {ATTUNE_INT4, "int4"},
    {ATTUNE_UINT2, "uint2"},        {ATTUNE_UINT4, "uint4"},   {ATTUNE_HALF2, "half2"},
    {ATTUNE_BFLOAT162, "bfloat162"}};

TEST(CTypes, AreAllThatAttuneKnows) {
  ASSERT_EQ(std::size(constants), type_table().size()) << "attune.h lacks a type, or this test does";
  for (const auto& [constant, name] : constants) EXPECT_EQ(c_api::type_of(constant), find_type(name)) << name;
  EXPECT_EQ(c_api::type_of(ATTUNE_UNTYPED), nullptr);
  EXPECT_EQ(c_api::type_of(-1), nullptr);
  EXPECT_EQ(c_api::type_of(ATTUNE_BFLOAT162 + 1), nullptr);
}

// A kernel that copies a scalar and an element of an array of each type into `out`, byte by byte. Vectors are no
// scalars.
std::string kernel_of_all_types() {
  std::string arguments, names, parameters, body;
  auto pass = [&, at = std::size_t{0}](const TypeInfo& type, const std::string& name, const std::string& parameter,
                                       const std::string& rest, const std::string& address) mutable {
    arguments += fmt::format("{} = {{ type = \"{}\", {} }}\n", name, type.name, rest);
    names += fmt::format(", \"{}\"", name);
    parameters += fmt::format(", {}", parameter);
    body += fmt::format("  copy(out + {}, {}, {});\n", at, address, type.size);
    at += type.size;
  };
  for (const TypeInfo& type : type_table()) {
    const std::string scalar = fmt::format("s_{}", type.name), array = fmt::format("a_{}", type.name);
    if (type.components == 1)
      pass(type, scalar, fmt::format("{} {}", type.spelling, scalar), "fill = \"1\"", "&" + scalar);
    pass(type, array, fmt::format("const {}* {}", type.spelling, array), "size = \"2\", role = \"in\"", array + " + 1");
  }
  return fmt::format(R"cu(/*attune
[kernel]
name = "types"
[problem]
n = {{ size = 1 }}
[parameters]
BLOCK = [1]
[[launch]]
entry = "types<BLOCK>"
grid = [1]
block = ["BLOCK"]
arguments = ["out"{}]
[arguments]
out = {{ type = "uint8", size = "1024", role = "out" }}
{}*/
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__device__ void copy(unsigned char* to, const void* from, int bytes) {{
  for (int i = 0; i < bytes; ++i) to[i] = static_cast<const unsigned char*>(from)[i];
}}
template <int BLOCK>
__global__ void types(unsigned char* out{}) {{
{}}}
)cu",
                     names, arguments, parameters, body);
}

// Bytes of a value: of a small integer or a finite floating-point value. A bool is 1.
std::vector<unsigned char> sample(const TypeInfo& type, unsigned char first) {
  std::vector<unsigned char> bytes(type.size);
  std::iota(bytes.begin(), bytes.end(), first);
  if (type.type_class == TypeClass::boolean) bytes = {1};
  return bytes;
}

TEST_F(CApiTest, PassesEveryType) {
  const std::string text = kernel_of_all_types();
  add({"types.cu", text});
  attune_plan* const made = plan("types", {});
  ASSERT_NE(made, nullptr);
  std::vector<unsigned char> out(1024), expected;
  std::list<std::vector<unsigned char>> kept;
  std::vector<attune_argument> arguments{attune_array(ATTUNE_UINT8, out.data(), out.size())};
  unsigned char next = 1;
  for (const auto& [constant, name] : constants) {
    const TypeInfo& type = type_named(name);
    if (type.components == 1) {
      const auto& scalar = kept.emplace_back(sample(type, next++));
      arguments.push_back(attune_scalar(constant, scalar.data()));
      expected.insert(expected.end(), scalar.begin(), scalar.end());
    }
    const std::vector<unsigned char> element = sample(type, next++);
    auto& array = kept.emplace_back(type.size, static_cast<unsigned char>(0));
    array.insert(array.end(), element.begin(), element.end());
    arguments.push_back(attune_const_array(constant, array.data(), 2));
    expected.insert(expected.end(), element.begin(), element.end());
  }
  ASSERT_EQ(attune_plan_launch(made, nullptr, arguments.data(), arguments.size()), ATTUNE_OK) << attune_last_error();
  out.resize(expected.size());
  EXPECT_EQ(out, expected);
  attune_plan_destroy(made);
}

TEST_F(CApiTest, ReadsNarrowIntegersWithTheirSign) {
  const std::int8_t minus = -3;
  attune_argument list[] = {attune_scalar(ATTUNE_INT8, &minus), attune_scalar(ATTUNE_UINT8, &minus)};
  c_api::ArgumentList read(2);
  c_api::take_arguments(list, 2, read);
  std::int64_t first = 0, second = 0;
  std::memcpy(&first, read.items()[0].bytes.data(), sizeof first);
  std::memcpy(&second, read.items()[1].bytes.data(), sizeof second);
  EXPECT_EQ(first, -3);
  EXPECT_EQ(second, 253);
}

}  // namespace
}  // namespace attune
