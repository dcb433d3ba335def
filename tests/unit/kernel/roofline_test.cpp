#include "kernel/roofline.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

Argument array(const char* name, Role role, const char* size, const char* type = "T") {
  Argument argument;
  argument.name = name;
  argument.type = type;
  argument.role = role;
  argument.size = size;
  return argument;
}

KernelSpec kernel(std::vector<Argument> arguments, std::optional<Expression> bytes = {},
                  std::optional<Expression> flops = {}) {
  KernelSpec spec;
  spec.name = "sample";
  spec.arguments = std::move(arguments);
  spec.metrics = {std::move(bytes), std::move(flops)};
  return spec;
}

Problem problem(std::int64_t n, const char* type = "float") { return {{"n", n}, {"T", type}}; }

// Of a device that copies 4 and reads 5 bytes, and does 60 (double: 30) operations, in a nanosecond.
const std::vector<Ceiling> ceilings{{"copy", 4e9, "B/s", "", "", "", 1},
                                    {"fma double", 30e9, "FLOP/s", "", "", "", 1},
                                    {"fma float", 60e9, "FLOP/s", "", "", "", 1},
                                    {"launch", 5000, "ns", "", "", "", 1},
                                    {"read", 5e9, "B/s", "", "", "", 1}};

TEST(MemoryCeiling, IsOfACopyWhereATenthOrMoreIsWritten) {
  const auto in = array("in", Role::in, "9 * n"), out = array("out", Role::out, "n");
  EXPECT_EQ(memory_ceiling(kernel({in, out}), problem(100)), "copy");
  EXPECT_EQ(memory_ceiling(kernel({out}), problem(100)), "copy");
}

TEST(MemoryCeiling, IsOfReadingWhereLessIsWritten) {
  EXPECT_EQ(memory_ceiling(kernel({array("in", Role::in, "n"), array("out", Role::out, "1")}), problem(100)), "read");
  // 91 bytes are read for each 10 written: the types count, not the elements.
  const auto in = array("in", Role::in, "91 * n", "uint8"), out = array("out", Role::out, "5 * n", "half");
  EXPECT_EQ(memory_ceiling(kernel({in, out}), problem(100)), "read");
}

TEST(MemoryCeiling, CountsWhatIsUpdatedAsReadAndWritten) {
  EXPECT_EQ(memory_ceiling(kernel({array("y", Role::inout, "n"), array("x", Role::in, "7 * n")}), problem(100)),
            "copy");  // 1 of 9
  EXPECT_EQ(memory_ceiling(kernel({array("y", Role::inout, "n"), array("x", Role::in, "9 * n")}), problem(100)),
            "read");  // 1 of 11
}

TEST(MemoryCeiling, LeavesOutScratchAndWhatHasNoSize) {
  const auto in = array("in", Role::in, "n"), out = array("out", Role::out, "1");
  EXPECT_EQ(memory_ceiling(kernel({in, out, array("scratch", Role::scratch, "100 * n")}), problem(100)), "read");
  EXPECT_EQ(memory_ceiling(kernel({in, out, array("odd", Role::out, "n / (n - n)")}), problem(100)), "read");
}

TEST(ArithmeticCeiling, IsOfTheProblemsTypeWhereThereIsOne) {
  EXPECT_EQ(arithmetic_ceiling(problem(1, "double"), ceilings), "fma double");
  EXPECT_EQ(arithmetic_ceiling(problem(1, "half"), ceilings), "fma float");
  EXPECT_EQ(arithmetic_ceiling(Problem{{"n", 1}}, ceilings), "fma float");
  EXPECT_EQ(arithmetic_ceiling(Problem{{"T", 1}}, ceilings), "fma float");
}

TEST(BoundOf, IsTheCeilingOfWhichMoreIsReached) {
  const KernelSpec spec = kernel({array("in", Role::in, "n"), array("out", Role::out, "n")}, "8 * n", "30 * n");
  const auto of_float = bound_of(spec, problem(100), 400, ceilings);  // 2 of 4 bytes, 7.5 of 60 operations
  ASSERT_TRUE(of_float);
  EXPECT_EQ(of_float->ceiling, "copy");
  EXPECT_DOUBLE_EQ(of_float->fraction, 0.5);
  const KernelSpec busy = kernel(spec.arguments, "8 * n", "90 * n");
  const auto of_double = bound_of(busy, problem(100, "double"), 400, ceilings);  // 22.5 of 30 operations
  ASSERT_TRUE(of_double);
  EXPECT_EQ(of_double->ceiling, "fma double");
  EXPECT_DOUBLE_EQ(of_double->fraction, 0.75);
}

TEST(BoundOf, MayBeMoreThanAllOfIt) {
  const KernelSpec spec = kernel({array("in", Role::in, "n"), array("out", Role::out, "1")}, "n * sizeof(T)");
  const auto bound = bound_of(spec, problem(1000), 400, ceilings);
  ASSERT_TRUE(bound);
  EXPECT_EQ(bound->ceiling, "read");
  EXPECT_DOUBLE_EQ(bound->fraction, 2);
}

TEST(BoundOf, IsNothingWithoutMetricsCeilingsOrTime) {
  const std::vector<Argument> arguments{array("in", Role::in, "n"), array("out", Role::out, "n")};
  EXPECT_FALSE(bound_of(kernel(arguments), problem(100), 400, ceilings));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 * n"), problem(100), 400, {}));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 * n"), problem(100), 0, ceilings));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 / (n - n)"), problem(100), 400, ceilings));
}

}  // namespace
}  // namespace attune
