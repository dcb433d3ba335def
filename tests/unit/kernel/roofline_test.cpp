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
  spec.metrics.bytes = std::move(bytes);
  spec.metrics.flops = std::move(flops);
  return spec;
}

Problem floats(std::int64_t n, const char* type = "float") { return {{"n", n}, {"T", type}}; }

// Of a device that copies 4 and reads 5 bytes, and does 60 (double: 30) operations, in a nanosecond.
const std::vector<Ceiling> ceilings{{"copy", 4e9, "B/s", "", "", "", 1},
                                    {"fma double", 30e9, "FLOP/s", "", "", "", 1},
                                    {"fma float", 60e9, "FLOP/s", "", "", "", 1},
                                    {"launch", 5000, "ns", "", "", "", 1},
                                    {"read", 5e9, "B/s", "", "", "", 1}};

TEST(MemoryCeiling, IsOfACopyWhereATenthOrMoreIsWrittenElseOfReading) {
  const auto out = [](const char* size, const char* type = "T") { return array("out", Role::out, size, type); };
  const auto in = [](const char* size, const char* type = "T") { return array("in", Role::in, size, type); };
  const auto ceiling = [](std::vector<Argument> arguments) { return memory_ceiling(kernel(arguments), floats(100)); };
  EXPECT_EQ(ceiling({in("9 * n"), out("n")}), "copy");
  EXPECT_EQ(ceiling({out("n")}), "copy");
  EXPECT_EQ(ceiling({in("n"), out("1")}), "read");
  // 91 bytes are read for each 10 written: the types count, not the elements.
  EXPECT_EQ(ceiling({in("91 * n", "uint8"), out("5 * n", "half")}), "read");
  // What is updated is read and written: 1 of 9, and 1 of 11.
  EXPECT_EQ(ceiling({array("y", Role::inout, "n"), in("7 * n")}), "copy");
  EXPECT_EQ(ceiling({array("y", Role::inout, "n"), in("9 * n")}), "read");
  // Scratch memory does not count, nor what has no size.
  EXPECT_EQ(ceiling({in("n"), out("1"), array("scratch", Role::scratch, "100 * n")}), "read");
  EXPECT_EQ(ceiling({in("n"), out("1"), array("odd", Role::out, "n / (n - n)")}), "read");
  // What lies in the host's memory passes the bus, which has no ceiling.
  Argument mapped = in("n");
  mapped.is_mapped = true;
  EXPECT_EQ(ceiling({mapped, out("n")}), "");
  mapped.mapped_where = Expression("n > 100");
  EXPECT_EQ(ceiling({mapped, out("n")}), "copy");
}

TEST(ArithmeticCeiling, IsOfTheProblemsTypeWhereThereIsOne) {
  EXPECT_EQ(arithmetic_ceiling(floats(1, "double"), ceilings), "fma double");
  EXPECT_EQ(arithmetic_ceiling(floats(1, "half"), ceilings), "fma float");
  EXPECT_EQ(arithmetic_ceiling(Problem{{"n", 1}}, ceilings), "fma float");
  EXPECT_EQ(arithmetic_ceiling(Problem{{"T", 1}}, ceilings), "fma float");
}

TEST(BoundOf, IsTheCeilingOfWhichMoreIsReachedAndMayBeMoreThanAllOfIt) {
  const std::vector<Argument> copies{array("in", Role::in, "n"), array("out", Role::out, "n")};
  const std::vector<Argument> reads{array("in", Role::in, "n"), array("out", Role::out, "1")};
  const auto expect_bound = [](const KernelSpec& spec, const Problem& of, const char* ceiling, double fraction) {
    const auto bound = bound_of(spec, of, {}, 400, ceilings);
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->ceiling, ceiling);
    EXPECT_DOUBLE_EQ(bound->fraction, fraction);
  };
  expect_bound(kernel(copies, "8 * n", "30 * n"), floats(100), "copy", 0.5);  // and 7.5 of 60 operations
  expect_bound(kernel(copies, "8 * n", "90 * n"), floats(100, "double"), "fma double", 0.75);  // 22.5 of 30
  expect_bound(kernel(reads, "n * sizeof(T)"), floats(1000), "read", 2);
}

TEST(BoundOf, IsNothingWithoutMetricsCeilingsOrTime) {
  const std::vector<Argument> arguments{array("in", Role::in, "n"), array("out", Role::out, "n")};
  EXPECT_FALSE(bound_of(kernel(arguments), floats(100), {}, 400, ceilings));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 * n"), floats(100), {}, 400, {}));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 * n"), floats(100), {}, 0, ceilings));
  EXPECT_FALSE(bound_of(kernel(arguments, "8 / (n - n)"), floats(100), {}, 400, ceilings));
}

}  // namespace
}  // namespace attune
