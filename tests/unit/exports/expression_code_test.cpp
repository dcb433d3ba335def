// Expressions as C++ against attune's own evaluation: overflow, kinds, and what is undefined.
#include "exports/expression_code.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "exported_program.hpp"
#include "exports/cpp_text.hpp"
#include "exports/header.hpp"
#include "odd_kernel.hpp"
#include "spec/kernel_file.hpp"
#include "support/every_operation.hpp"
#include "support/message_of.hpp"

namespace attune::test {
namespace {

class RandomExpressions {
 public:
  std::string next(int depth = 4) {
    if (depth == 0 || below(8) == 0) return leaf();
    const std::string a = next(depth - 1), b = next(depth - 1);
    const OperationRow& row = one_of_attune();
    if (row.level == Level::type_function) return written(row, Dialect::attune, below(2) == 0 ? "T" : "half2", "", "");
    return written(row, Dialect::attune, a, b, leaf());
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  const OperationRow& one_of_attune() {
    while (true) {
      const OperationRow& row = operations[below(std::size(operations))];
      if (!row.attune.empty()) return row;
    }
  }
  std::string leaf() {
    constexpr const char* leaves[] = {"n",
                                      "rows",
                                      "shift",
                                      "BLOCK",
                                      "CLUSTER",
                                      "RATIO",
                                      "FAST",
                                      "OVERLAP",
                                      "T",
                                      "MODE",
                                      "device.multiprocessors",
                                      "device.kind",
                                      "device.max_grid_y",
                                      "device.max_cluster",
                                      "device.shared_per_block",
                                      "'float'",
                                      "'Mode::a'",
                                      "true",
                                      "false",
                                      "0",
                                      "1",
                                      "2",
                                      "-1",
                                      "3",
                                      "63",
                                      "64",
                                      "7.5",
                                      "-0.5",
                                      "1e300",
                                      "0.1",
                                      "9223372036854775807",
                                      "(-9223372036854775808)",
                                      "9007199254740993",
                                      "9007199254740992.0",
                                      "1048576"};
    return leaves[below(std::size(leaves))];
  }
  std::mt19937_64 random_{7};
};

std::string text_of(const Expression::Result& result) {
  if (std::holds_alternative<Undefined>(result)) return "undefined";
  const Value& value = std::get<Value>(result);
  if (value.is_name()) return "name " + value.name();
  if (value.is_boolean()) return value.boolean() ? "boolean 1" : "boolean 0";
  if (value.is_integer()) return fmt::format("integer {}", value.integer());
  char text[64];
  std::snprintf(text, sizeof text, "real %a", value.real());
  return text;
}

constexpr const char* printer = R"cpp(
#include <cstdio>
  using namespace attune_export;
  static void print(const Value& v) {
    if (v.kind == Value::Kind::undefined) std::puts("undefined");
    if (v.kind == Value::Kind::name) std::printf("name %s\n", std::string(v.name).c_str());
    if (v.kind == Value::Kind::boolean) std::printf("boolean %d\n", static_cast<int>(v.integer));
    if (v.kind == Value::Kind::integer) std::printf("integer %lld\n", static_cast<long long>(v.integer));
    if (v.kind == Value::Kind::real) std::printf("real %a\n", v.real);
  }
)cpp";

struct Sample {
  Problem problem;
  Configuration configuration;
  DeviceInfo device;
};

std::vector<Sample> samples() {
  const auto problem = [](std::int64_t n, std::int64_t rows, std::int64_t shift, const char* type) {
    return Problem{{"n", n}, {"rows", rows}, {"shift", shift}, {"T", type}, {"OP", "Op::sum"}};
  };
  const auto configuration = [](std::int64_t block, double ratio, bool fast, const char* mode) {
    return Configuration{{"BLOCK", block}, {"CLUSTER", 8},    {"RATIO", ratio}, {"OVERLAP", true},
                         {"FAST", fast},   {"ACC", "double"}, {"MODE", mode}};
  };
  return {{problem(1000, 1, -3, "float"), configuration(128, 0.5, false, "Mode::a"), h200()},
          {problem(std::int64_t{1} << 62, 3, std::numeric_limits<std::int64_t>::min(), "half"),
           configuration(1024, 1e-3, true, "Mode::b"), host_cpu()},
          {problem(7, 64, 0, "int8"), configuration(64, 0.25, true, "Mode::a"), a100()}};
}

std::vector<Expression> fuzzed(std::size_t count) {
  RandomExpressions random;
  std::vector<Expression> expressions;
  while (expressions.size() < count) {
    try {
      expressions.emplace_back(random.next());
    } catch (const ExpressionError&) {
      continue;  // comparisons do not chain
    }
  }
  return expressions;
}

std::string program_for(const KernelSpec& spec, const std::vector<Expression>& expressions) {
  ExpressionCode code(spec);
  std::string calls;
  for (const Expression& expression : expressions) calls += fmt::format("  print({});\n", code.call(expression));
  HeaderTerms terms{.spec = spec, .records = {}};
  terms.name_space = "attune_export";
  std::string text = exported_header(terms) + printer;
  text += "namespace attune_export { namespace detail { namespace fuzz {\n" + code.definitions() +
          "static void all(const Problem& p, const Configuration& c, const Device& d) {\n" + calls +
          "}\n}}}\nint main() {\n";
  for (const Sample& sample : samples())
    text += fmt::format("  detail::fuzz::all(Problem{}, Configuration{}, {});\n", cpp_braces(sample.problem),
                        cpp_braces(sample.configuration), device_code(sample.device));
  return text + "}\n";
}

void expect_same(const std::vector<Expression>& expressions, std::size_t least_defined,
                 const std::vector<std::string>& options = {"-O0"}) {
  const KernelSpec spec = read_kernel_text(odd_file, "odd.cu");
  std::istringstream lines(output_of_program(program_for(spec, expressions), options));
  std::size_t defined = 0;
  for (const Sample& sample : samples())
    for (const Expression& expression : expressions) {
      std::string line;
      std::getline(lines, line);
      const std::string expected =
          text_of(expression.evaluate({&sample.problem, &sample.configuration, &sample.device}));
      EXPECT_EQ(line, expected) << expression.text() << "\nwith " << sample.problem.text() << " "
                                << sample.configuration.text();
      if (expected != "undefined") ++defined;
    }
  EXPECT_GT(defined, least_defined);
}

TEST(ExpressionCode, ComputesWhatAttuneComputes) { expect_same(fuzzed(700), 500); }

TEST(ExpressionCode, HasTheSameEdgesOfItsOperations) {
  std::vector<Expression> expressions;
  constexpr const char* numbers[] = {"0",
                                     "1",
                                     "-1",
                                     "2",
                                     "63",
                                     "64",
                                     "9223372036854775807",
                                     "(-9223372036854775808)",
                                     "3037000500",
                                     "-3037000500",
                                     "0.5",
                                     "-2.5",
                                     "1e300",
                                     "-0.0",
                                     "true"};
  for_each_operation([&](const OperationRow& row, Dialect dialect) {
    if (dialect != Dialect::attune) return;
    if (row.level == Level::type_function)
      for (const char* const type : {"T", "half2", "n", "MODE"})
        expressions.emplace_back(written(row, dialect, type, "", ""));
    else
      for (const char* const a : numbers)
        for (const char* const b : row.arity == Arity::one ? std::span(numbers).first(1) : std::span(numbers))
          expressions.emplace_back(written(row, dialect, a, b, "2"));
  });
  // Neither does any of them leave what C++ defines.
  expect_same(expressions, 1000, {"-O0", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"});
}

TEST(ExpressionCode, NestsNoDeeperThanCompilersDo) {
  std::string sum = "n";
  for (int i = 0; i < 900; ++i) sum += " + 1";
  expect_same({Expression(sum)}, 1);
}

TEST(ExpressionCode, IsConstexprWhereNoMathematicalLibraryIsAsked) {
  const KernelSpec spec = read_kernel_text(odd_file, "odd.cu");
  HeaderTerms terms{.spec = spec, .records = {}};
  terms.name_space = "attune_export";
  EXPECT_EQ(output_of_program(exported_header(terms) + R"cpp(
              namespace attune_export {
              namespace detail {
              constexpr std::uint32_t grid_of(std::int64_t n) {
                Problem p;
                p.n = n;
                p.rows = 1;
                Shapes shapes;
                return geometry(p, Configuration{}, Device{}, shapes) ? 0 : shapes.of[1].grid[0];
              }
              static_assert(add(whole(most_integer), whole(1)).kind == Value::Kind::undefined, "overflow is found");
              static_assert(multiply(whole(least_integer), whole(1)).integer == least_integer,
                            "the least integer is "
                            "one");
              }  // namespace detail
              }  // namespace attune_export
              int main() {}
            )cpp"),
            "");
}

TEST(ExpressionCode, RefusesThePythonDialect) {
  const KernelSpec spec = read_kernel_text(odd_file, "odd.cu");
  ExpressionCode code(spec);
  EXPECT_THAT(message_of<UsageError>([&] { code.call(Expression("n // 2", Dialect::python)); }),
              testing::AllOf(testing::HasSubstr("odd"), testing::HasSubstr("`n // 2`"), testing::HasSubstr("Python")));
}

}  // namespace
}  // namespace attune::test
