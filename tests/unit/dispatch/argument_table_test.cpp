#include "dispatch/argument_table.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "device/step_binding.hpp"

// As the CUDA headers define them; an application of attune may see the definitions.
struct float2 {
  float x, y;
};
struct __half {
  unsigned short bits;
};

namespace attune {
namespace {

using testing::HasSubstr;

// What plan_argument() takes for a Buffer.
template <typename T>
struct Array {
  using element_type = T;
  T* data() const { return reinterpret_cast<T*>(0x1000); }
  std::size_t size() const { return count; }
  std::size_t count;
};

enum class Mode : std::int16_t { slow = 7 };

// The bytes of a kernel's arguments before anything is passed.
StepBinding unbound(const KernelSpec& spec, const std::vector<ResolvedArgument>& resolved) {
  return StepBinding(std::make_shared<LoadedSteps>(nullptr, step_arguments(spec, resolved)));
}

template <typename T>
T in_slot(const StepBinding& binding, std::size_t argument) {
  T value;
  std::memcpy(&value, binding.slots()[argument], sizeof value);
  return value;
}

struct Called {
  ArgumentTable table;
  StepBinding binding;
};

// A kernel with arguments of the given types; "T*" is an array of 10 that is written, "const T*" one that is read.
Called kernel_of(const std::vector<std::string>& types) {
  KernelSpec spec;
  spec.name = "k";
  spec.launch.resize(1);
  std::vector<ResolvedArgument> resolved;
  for (std::string type : types) {
    Argument argument;
    argument.name = fmt::format("a{}", resolved.size());
    ResolvedArgument known;
    if (type.back() == '*') {
      type.pop_back();
      const bool is_read = type.starts_with("const ");
      if (is_read) type.erase(0, 6);
      argument.role = known.role = is_read ? Role::in : Role::out;
      known.count = 10;
    }
    argument.type = known.type = type;
    known.bytes = known.count * type_named(type).size;
    spec.launch[0].arguments.push_back(argument.name);
    spec.arguments.push_back(argument);
    resolved.push_back(known);
  }
  return {ArgumentTable(spec, resolved), unbound(spec, resolved)};
}

// The bytes that a value becomes as an argument of a type.
template <typename Kernel, typename Application>
Kernel passed(const char* type, const Application& value) {
  const auto [table, binding] = kernel_of({type});
  table.encode(std::array{plan_argument(value)}, binding.slots());
  return in_slot<Kernel>(binding, 0);
}

template <typename Application>
std::string refusal(const char* type, const Application& value) {
  try {
    passed<char>(type, value);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ArgumentTable, TakesPointersOfTheRightElementType) {
  float data[10] = {};
  EXPECT_EQ(passed<float*>("float*", data + 0), data);
  EXPECT_EQ(passed<const float*>("const float*", static_cast<const float*>(data)), data);
  EXPECT_EQ(passed<float*>("float*", static_cast<void*>(data)), data);
  EXPECT_EQ(passed<float*>("float*", Array<float>{10}), Array<float>{}.data());
  EXPECT_EQ(passed<void*>("int64*", reinterpret_cast<long*>(data)), data);
  EXPECT_EQ(passed<void*>("int64*", reinterpret_cast<long long*>(data)), data);
}

TEST(ArgumentTable, RefusesOtherPointers) {
  float2 pair{};
  double wide = 0;
  const float constant = 0;
  EXPECT_THAT(refusal("float*", &pair), HasSubstr("a pointer to float2 was passed"));
  EXPECT_THAT(refusal("float*", &wide),
              HasSubstr("argument 1, `a0`, is an array of 10 float that the kernel writes, but a "
                        "pointer to double was passed; expected k(a0: float*)"));
  EXPECT_THAT(refusal("float*", &constant), HasSubstr("a pointer to const float was passed"));
  EXPECT_THAT(refusal("float*", static_cast<const void*>(&constant)), HasSubstr("a const void* was passed"));
  EXPECT_THAT(refusal("float*", nullptr), HasSubstr("a null pointer was passed"));
  EXPECT_THAT(refusal("float*", 5), HasSubstr("the integer 5 was passed"));
  EXPECT_THAT(refusal("int32*", reinterpret_cast<unsigned*>(&wide)), HasSubstr("a pointer to uint32"));
  EXPECT_THAT(refusal("int32", &wide), HasSubstr("is of type int32, but a pointer to double was passed"));
}

TEST(ArgumentTable, RefusesABufferThatIsTooSmall) {
  EXPECT_THAT(refusal("const float*", Array<float>{9}),
              HasSubstr("an array of 10 float that the kernel reads, but what was passed has 9"));
  EXPECT_EQ(refusal("const float*", Array<float>{11}), "accepted");
}

TEST(ArgumentTable, IntegersOfAnyWidthFitByValue) {
  EXPECT_EQ(passed<std::int64_t>("int64", 5), 5);
  EXPECT_EQ(passed<std::int64_t>("int64", -5), -5);
  EXPECT_EQ(passed<std::int64_t>("int64", std::size_t{1} << 62), std::int64_t{1} << 62);
  EXPECT_EQ(passed<std::int8_t>("int8", std::int64_t{-128}), -128);
  EXPECT_EQ(passed<std::uint8_t>("uint8", 255), 255);
  EXPECT_EQ(passed<std::uint64_t>("uint64", ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(passed<std::int32_t>("int32", true), 1);
  EXPECT_EQ(passed<bool>("bool", true), true);
  EXPECT_EQ(passed<bool>("bool", 0), false);
  EXPECT_EQ(passed<std::int32_t>("int32", Mode::slow), 7);
}

TEST(ArgumentTable, IntegersThatDoNotFitAreRefusedNeverWrapped) {
  EXPECT_THAT(refusal("int8", 128), HasSubstr("is of type int8, which the integer 128 does not fit"));
  EXPECT_THAT(refusal("int8", -129), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("uint32", -1), HasSubstr("the integer -1 does not fit"));
  EXPECT_THAT(refusal("uint64", -1), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("int64", ~std::uint64_t{0}), HasSubstr("the integer 18446744073709551615 does not fit"));
  EXPECT_THAT(refusal("int32", std::int64_t{1} << 31), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("bool", 2), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("int32", 1.0), HasSubstr("is of type int32, but the floating-point value 1 was passed"));
}

TEST(ArgumentTable, FloatingPointConvertsAsInCpp) {
  EXPECT_EQ(passed<float>("float", 0.1), 0.1f);
  EXPECT_EQ(passed<double>("double", 0.1f), static_cast<double>(0.1f));
  EXPECT_TRUE(std::isnan(passed<float>("float", std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isinf(passed<float>("float", std::numeric_limits<double>::infinity())));
  EXPECT_EQ(passed<std::uint16_t>("half", 1.0), 0x3C00);
  EXPECT_EQ(passed<std::uint16_t>("bfloat16", -2.0f), 0xC000);
  EXPECT_THAT(refusal("float", 1e300),
              HasSubstr("is of type float, which the floating-point value 1e+300 does not fit"));
}

TEST(ArgumentTable, IntegersBecomeFloatingPointOnlyIfNothingIsLost) {
  EXPECT_EQ(passed<float>("float", 3), 3.0f);
  EXPECT_EQ(passed<double>("double", -(std::int64_t{1} << 53)), -9007199254740992.0);
  EXPECT_EQ(passed<float>("float", 1 << 25), 33554432.0f);
  EXPECT_EQ(passed<std::uint16_t>("half", 2048), 0x6800);
  EXPECT_THAT(refusal("float", (1 << 24) + 1), HasSubstr("the integer 16777217 does not fit"));
  EXPECT_THAT(refusal("double", (std::int64_t{1} << 53) + 1), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("double", std::numeric_limits<std::int64_t>::max()), HasSubstr("does not fit"));
  EXPECT_THAT(refusal("half", 2049), HasSubstr("does not fit"));
}

TEST(ArgumentTable, StructsPassVerbatimUnderTheirName) {
  const float2 pair{1, 2};
  EXPECT_EQ(passed<float2>("float2", pair).y, 2);
  EXPECT_EQ(passed<__half>("half", __half{0x1234}).bits, 0x1234);
  EXPECT_THAT(refusal("int2", pair), HasSubstr("is of type int2, but a float2 was passed"));
  EXPECT_THAT(refusal("float", pair), HasSubstr("a float2 was passed"));
  EXPECT_THAT(refusal("float2", 1.0), HasSubstr("is of type float2"));
  EXPECT_THAT(refusal("bfloat16", __half{0}), HasSubstr("a half was passed"));
}

TEST(ArgumentTable, CountsAndShowsTheSignature) {
  const auto [table, binding] = kernel_of({"float*", "const float*", "int64"});
  try {
    table.encode(std::array{plan_argument(1), plan_argument(2)}, binding.slots());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "launch of k: 2 arguments were passed, 3 expected: k(a0: float*, a1: const float*, a2: int64)");
  }
}

class ProblemScalars : public testing::Test {
 protected:
  ProblemScalars() {
    spec_.name = "k";
    spec_.arguments.resize(5);
    resolved_.resize(5);
    spec_.launch.resize(1);
    spec_.launch[0].arguments = {"n", "twice", "temporary", "a"};
    set(0, "n", Role::scalar, "int32", 1000);      // the problem's n
    set(1, "twice", Role::scalar, "int64", 2000);  // computed
    spec_.arguments[1].value.emplace("2 * n");
    set(2, "temporary", Role::scratch, "float", {});
    set(3, "a", Role::scalar, "float", {});
    set(4, "expected", Role::out, "float", {});  // of [[verify]] and [[reference]] alone
  }
  void set(std::size_t i, const char* name, Role role, const char* type, std::optional<Value> value) {
    spec_.arguments[i].name = name;
    spec_.arguments[i].role = resolved_[i].role = role;
    spec_.arguments[i].type = resolved_[i].type = type;
    resolved_[i].value = value;
    resolved_[i].bytes = type_named(type).size;
  }
  KernelSpec spec_;
  std::vector<ResolvedArgument> resolved_;
};

TEST_F(ProblemScalars, ScratchComputedValuesAndWhatNoLaunchUsesAreNotPassed) {
  const ArgumentTable table(spec_, resolved_);
  EXPECT_EQ(table.signature(), "k(n: int32, a: float)");
  const StepBinding binding = unbound(spec_, resolved_);
  table.encode(std::array{plan_argument(std::size_t{1000}), plan_argument(2.5)}, binding.slots());
  EXPECT_EQ(in_slot<std::int64_t>(binding, 1), 2000);
  EXPECT_EQ(in_slot<float>(binding, 3), 2.5f);
}

TEST_F(ProblemScalars, AScalarNamedAfterAProblemValueMustEqualIt) {
  const ArgumentTable table(spec_, resolved_);
  const StepBinding binding = unbound(spec_, resolved_);
  try {
    table.encode(std::array{plan_argument(1001), plan_argument(2.5)}, binding.slots());
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("argument 1, `n`, is 1000 in the plan's problem, but the integer 1001 was passed; "
                          "make a plan for the other problem"));
  }
}

}  // namespace
}  // namespace attune
