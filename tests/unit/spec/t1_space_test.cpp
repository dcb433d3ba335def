// T1 documents: what is read of them, and what is refused with which words.
#include "spec/t1_space.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>

#include "attune/search_space.hpp"
#include "spec/t1_values.hpp"
#include "support/cases.hpp"
#include "support/message_of.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(T1Space, OfPublishedDocumentsHasItsLegalConfigurations) {
  struct Document {
    std::string file, name;
    std::size_t parameters, rules;
    std::uint64_t legal;  // as published
  };
  for (const Document& document :
       {Document{"convolution_milo", "convolution_milo", 10, 4, 4362},
        Document{"dedispersion_milo", "dedispersion_milo", 8, 3, 11130}, Document{"kt_pnpoly", "pnpoly", 4, 0, 4092},
        Document{"bat_builtin_vectors", "bat_builtin_vectors", 1, 0, 32},
        Document{"ktt_coulomb3d", "ktt_coulomb3d", 8, 2, 210}, Document{"microhh_small", "microhh_small", 13, 8, 58},
        Document{"dedispersion", "dedispersion", 8, 4, 11130}}) {
    SCOPED_TRACE(document.file);
    const T1Space space = load_t1_space(ATTUNE_TEST_DATA "/t1/" + document.file + ".json");
    EXPECT_EQ(space.name, document.name);
    EXPECT_EQ(space.parameters.size(), document.parameters);
    EXPECT_EQ(space.defaults.size(), document.parameters);
    EXPECT_EQ(space.rules.size(), document.rules);
    for (const Rule& rule : space.rules) EXPECT_EQ(rule.expression.dialect(), Dialect::python);
    EXPECT_EQ(SearchSpace(space.parameters, space.rules).size(), document.legal);
  }
}

TEST(T1Values, AreListsInTheMannerOfPython) {
  const auto list = [](std::string_view text) {
    ListBudget budget;
    return read_value_list(text, budget);
  };
  EXPECT_THAT(list(" ( 1, 2.5, 'a', True , ) "), ElementsAre(1, 2.5, "a", true));
  EXPECT_THAT(list("range(3)"), ElementsAre(0, 1, 2));
  EXPECT_THAT(list("range(9, 1, -3)"), ElementsAre(9, 6, 3));
  EXPECT_THAT(list("[1] + [2 * i for i in range(1, 4)] + list((7, 8))"), ElementsAre(1, 2, 4, 6, 7, 8));
  EXPECT_THAT(list("[2**i for i in [3, 1] + [2] if i != 1]"), ElementsAre(8, 4));
  EXPECT_THAT(list("[i if i > 1 else -i for i in range(4) if i % 2 or i == 2]"), ElementsAre(-1, 2, 3));
  EXPECT_THAT(list("[min(i, 2) for i in [j + 1 for j in (0, 1, 2)]]"), ElementsAre(1, 2, 2));
  EXPECT_THAT(list("[[4, 5][i] for i in list(range(2))]"), ElementsAre(4, 5));
  EXPECT_THAT(list("[]"), ElementsAre());
  EXPECT_EQ(list("range(65535)").size(), 65535u);
  EXPECT_THAT(list("range(9223372036854775806, 9223372036854775807)"), ElementsAre(9223372036854775806));
}

std::string document(const std::string& parameters, const std::string& conditions = "") {
  return fmt::format(R"({{"ConfigurationSpace": {{"TuningParameters": [{}], "Conditions": [{}]}}}})", parameters,
                     conditions);
}

std::string parameter(const std::string& values, const std::string& type = "int", const std::string& name = "p") {
  return fmt::format(R"({{"Name": "{}", "Type": "{}", "Values": {}}})", name, type, values);
}

// A document whose parameter has the list as text.
std::string listed(const std::string& list) { return document(parameter('"' + list + '"')); }

TEST(T1Space, ConvertsValuesToTheirType) {
  const auto values = [](const std::string& list, const std::string& type) {
    return read_t1_space(document(parameter(list, type)), "t.json").parameters.at(0).values;
  };
  EXPECT_THAT(values("[1, 2]", "int"), ElementsAre(1, 2));
  EXPECT_THAT(values("[1, 2.5]", "float"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(values(R"("[1, 0.5]")", "double"), ElementsAre(1.0, 0.5));
  EXPECT_THAT(values("[-3]", "real"), ElementsAre(-3.0));
  EXPECT_THAT(values("[0, true]", "bool"), ElementsAre(false, true));
  EXPECT_THAT(values(R"(["a", "b"])", "string"), ElementsAre("a", "b"));
  EXPECT_THAT(values(R"("['a', 'b']")", "string"), ElementsAre("a", "b"));
}

TEST(T1Space, KeepsTheOrderOfValuesReportsDefaultsAndIgnoresWhatItDoesNotKnow) {
  T1Space space = read_t1_space(
      document(R"({"Name": "a", "Type": "int", "Values": [4, 2], "Default": 2}, {"Name": "b", "Type": "float",
                "Values": [1], "Default": 7}, {"Name": "c", "Type": "int", "Values": "[1]", "Default": null})"),
      "folder/some.t1.json");
  EXPECT_EQ(space.name, "some.t1");
  EXPECT_THAT(space.parameters[0].values, ElementsAre(4, 2));
  EXPECT_THAT(space.defaults, ElementsAre(std::optional<Value>(2), std::optional<Value>(7.0), std::nullopt));
  space = read_t1_space(
      R"({"General": {"BenchmarkName": "n", "X": [1]}, "KernelSpecification": {"Stream": null}, "ConfigurationSpace":
      {"TuningParameters": [{"Name": "p", "Type": "int", "Values": [1], "Y": {}}], "Z": 0}})",
      "t.json");
  EXPECT_EQ(space.name, "n");
  EXPECT_TRUE(space.rules.empty());
}

void expect_refused(const std::string& text, const std::string& message) {
  const std::string said = message_of<UsageError>([&] { read_t1_space(text, "some.json"); });
  EXPECT_THAT(said, testing::StartsWith("some.json: ")) << text.substr(0, 200);
  EXPECT_THAT(said, HasSubstr(message)) << text.substr(0, 200);
  EXPECT_LT(said.size(), 1500u);
}

TEST(T1Space, RefusesWhatIsNoDocument) {
  for (const auto& item : cases(R"table(
      { => no JSON  ;;  {"a": NaN} => no JSON  ;;  {"a": 1e999} => no JSON  ;;  [1] => expected an object
      {} => `ConfigurationSpace` is missing
      {"ConfigurationSpace": []} => `ConfigurationSpace` must be an object
      {"ConfigurationSpace": {}} => `TuningParameters` is missing
      {"ConfigurationSpace": {"TuningParameters": {}}} => `TuningParameters` must be an array
      {"ConfigurationSpace": {"TuningParameters": [{"Name": "p", "Type": "int", "Values": [1]}], "Conditions": "p > 1"}}
      => `Conditions` must be an array
      {"a": 1, "a": 2} => the key a stands twice)table"))
    expect_refused(item.at(0), item.at(1));
  expect_refused("", "no JSON");
  expect_refused("{\"a\": \"\xff\"}", "no JSON");
  expect_refused(std::string("{}\0", 3), "a NUL byte");
  expect_refused(document(""), "`TuningParameters` is empty");
  expect_refused(repeated("[", 100) + repeated("]", 100), "nested more than 64 deep");
  expect_refused(repeated("[", 1000000), "nested more than 64 deep");
}

TEST(T1Space, RefusesParametersByNameAndReason) {
  for (const auto& item : cases(R"table(
      3 => TuningParameters[0]: expected an object  ;;  {} => TuningParameters[0]: `Name` is missing
      {"Name": 3} => TuningParameters[0]: `Name` must be a text
      {"Name": "p", "Values": [1]} => parameter `p`: `Type` is missing
      {"Name": "p", "Type": "int"} => `Values` is missing
      {"Name": "p", "Type": "int", "Values": [1], "Default": "x"} => does not fit the type int
      {"Name": "p", "Type": "int", "Values": [1]}, {"Name": "p", "Type": "int", "Values": [2]}
      => parameter `p` stands twice)table"))
    expect_refused(document(item.at(0)), item.at(1));
  for (const char* name : {"a b", "", "lambda", "True"})
    expect_refused(document(parameter("[1]", "int", name)), fmt::format("`{}` is no name", name));
  for (const auto& item : cases(R"table(
      [1] => flaot => unknown type `flaot`; did you mean `float`  ;;  7 => int => `Values` must be an array
      [] => int => parameter `p`: no values  ;;  [1, 2, 1] => int => the value 1 stands twice
      [1, 1.0] => float => the value 1.0 stands twice  ;;  [1.5] => int => the value 1.5 does not fit the type int
      [true] => int => does not fit the type int  ;;  [2] => bool => does not fit the type bool
      ["a"] => float => does not fit the type float  ;;  [""] => string => does not fit the type string
      [null] => int => a value is a number  ;;  [[1]] => int => a value is a number
      [9223372036854775808] => int => 9223372036854775808 is too large)table"))
    expect_refused(document(parameter(item.at(0), item.at(1))), item.at(2));
}

TEST(T1Space, RefusesListsThatAreNoneOrTooLong) {
  for (const auto& item : cases(R"table(
      [] => parameter `p`: no values
      [8 / 2] => the value 4.0 does not fit the type int: an integer (`//` divides
      [1, 2 => the list ends without `]`  ;;  [1, 2] 3 => expected `+` or the end  ;;  [1, n] => unknown name `n`
      [1 / 0] => division by zero in `1 / 0`
      [8 // i for i in range(2)] => division by zero in `8 // i` (i=0)
      range(10**9) => more than 65535 values  ;;  range(65535) + [1] => more than 65535 values
      range(-9223372036854775807, 9223372036854775807) => more than 65535 values
      range(1, 9, 0) => must not be 0  ;;  range(1.5) => range takes integers  ;;  range() => range takes 1 to 3 arguments
      [1, i for i in range(2)] => after the only element  ;;  [i for i in range(2) for j in range(2)] => one `for`
      [i for 3 in range(2)] => expected a name after `for`  ;;  [i for i range(2)] => expected `in`
      (1) => one value in parentheses is no list
      [__import__('os').system('true')] => attributes)table"))
    expect_refused(listed(item.at(0)), item.at(1));
  expect_refused(listed(""), "expected a list");
  expect_refused(listed(repeated("[", 100000)), "some.json: parameter `p`: ");
  expect_refused(listed(repeated("list(", 20000)), "lists nested more than 50 deep");
}

TEST(T1Space, RefusesConditionsByNumberAndReason) {
  for (const auto& item : cases(R"table(
      3 => Conditions[0]: expected an object  ;;  {} => Conditions[0]: `Expression` is missing
      {"Expression": 3} => `Expression` must be a text  ;;  {"Expression": "p && p"} => write `and`
      {"Expression": "p > 0"}, {"Expression": "p >"} => Conditions[1]: `p >`
      {"Expression": "q > 1"} => `q > 1`: `q` is no parameter
      {"Expression": "p > 1", "Parameters": ["q"]} => `q` is no parameter
      {"Expression": "p > 1", "Parameters": "p"} => must be an array of names
      {"Expression": "p > 1", "Parameters": [1]} => must be an array of names)table"))
    expect_refused(document(parameter("[1]"), item.at(0)), item.at(1));
}

TEST(T1Space, RefusesListsThatTakeLongQuickly) {
  std::string chain = "i";
  for (int i = 0; i < 14; ++i) chain = "(0 < " + chain + " < 9)";
  const auto start = std::chrono::steady_clock::now();
  expect_refused(listed("[" + chain + " for i in range(60000)]"), "too long to compute");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(T1File, ThatCannotBeReadIsNamed) {
  EXPECT_THAT(message_of<UsageError>([] { load_t1_space("/nowhere/space.json"); }),
              HasSubstr("/nowhere/space.json: there is no such file"));
  EXPECT_THAT(message_of<UsageError>([] { load_t1_space("/"); }), HasSubstr("no regular file"));
}

}  // namespace
}  // namespace attune
