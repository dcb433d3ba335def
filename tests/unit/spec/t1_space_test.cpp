// T1 documents: what is read of them, and what is refused with which words.
#include "spec/t1_space.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <ostream>
#include <random>
#include <sstream>

#include "spec/t1_values.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path data_file(const std::string& name) {
  return std::filesystem::path(ATTUNE_TEST_DATA) / "t1" / (name + ".json");
}

// Legal configurations, by trying all.
std::uint64_t legal(const T1Space& space) {
  std::vector<std::size_t> row(space.parameters.size());
  std::uint64_t count = 0;
  Bindings bindings;
  for (bool more = true; more;) {
    bindings = {};
    for (std::size_t i = 0; i < row.size(); ++i) {
      bindings.set(space.parameters[i].name, space.parameters[i].values[row[i]]);
    }
    const auto holds = [&](const Rule& rule) { return rule.expression.holds({nullptr, &bindings, nullptr}); };
    count += std::all_of(space.rules.begin(), space.rules.end(), holds) ? 1 : 0;
    more = false;
    for (std::size_t i = row.size(); i-- > 0 && !more;) {
      more = ++row[i] < space.parameters[i].values.size();
      if (!more) row[i] = 0;
    }
  }
  return count;
}

struct Document {
  std::string file, name;
  std::size_t parameters, rules;
  std::uint64_t legal;  // as published
};
void PrintTo(const Document& item, std::ostream* out) { *out << item.file; }

class PublishedSpace : public testing::TestWithParam<Document> {};

TEST_P(PublishedSpace, HasItsLegalConfigurations) {
  const T1Space space = load_t1_space(data_file(GetParam().file));
  EXPECT_EQ(space.name, GetParam().name);
  EXPECT_EQ(space.parameters.size(), GetParam().parameters);
  EXPECT_EQ(space.defaults.size(), GetParam().parameters);
  EXPECT_EQ(space.rules.size(), GetParam().rules);
  for (const Rule& rule : space.rules) EXPECT_EQ(rule.expression.dialect(), Dialect::python);
  EXPECT_EQ(legal(space), GetParam().legal);
}

INSTANTIATE_TEST_SUITE_P(All, PublishedSpace,
                         testing::ValuesIn(std::vector<Document>{
                             {"convolution_milo", "convolution_milo", 10, 4, 4362},
                             {"dedispersion_milo", "dedispersion_milo", 8, 3, 11130},
                             {"kt_pnpoly", "pnpoly", 4, 0, 4092},
                             {"bat_builtin_vectors", "bat_builtin_vectors", 1, 0, 32},
                             {"ktt_coulomb3d", "ktt_coulomb3d", 8, 2, 210},
                             {"microhh_small", "microhh_small", 13, 8, 58},
                             {"dedispersion", "dedispersion", 8, 4, 11130}}));

std::vector<Value> list(std::string_view text) {
  ListBudget budget;
  return read_value_list(text, budget);
}

TEST(T1Values, AreListsInTheMannerOfPython) {
  EXPECT_THAT(list("[1, 2, 4]"), ElementsAre(1, 2, 4));
  EXPECT_THAT(list(" ( 1, 2.5, 'a', True , ) "), ElementsAre(1, 2.5, "a", true));
  EXPECT_THAT(list("range(3)"), ElementsAre(0, 1, 2));
  EXPECT_THAT(list("range(9, 1, -3)"), ElementsAre(9, 6, 3));
  EXPECT_THAT(list("list(range(2, 8, 2))"), ElementsAre(2, 4, 6));
  EXPECT_THAT(list("[1] + [2 * i for i in range(1, 4)] + list((7, 8))"), ElementsAre(1, 2, 4, 6, 7, 8));
  EXPECT_THAT(list("[2**i for i in [3, 1] + [2] if i != 1]"), ElementsAre(8, 4));
  EXPECT_THAT(list("[i if i > 1 else -i for i in range(4) if i % 2 or i == 2]"), ElementsAre(-1, 2, 3));
  EXPECT_THAT(list("[min(i, 2) for i in [j + 1 for j in (0, 1, 2)]]"), ElementsAre(1, 2, 2));
  EXPECT_THAT(list("[[4, 5][i] for i in range(2)]"), ElementsAre(4, 5));
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

std::vector<Value> values(const std::string& list, const std::string& type) {
  return read_t1_space(document(parameter(list, type)), "t.json").parameters.at(0).values;
}

TEST(T1Space, ConvertsValuesToTheirType) {
  EXPECT_THAT(values("[1, 2]", "int"), ElementsAre(1, 2));
  EXPECT_THAT(values("[1, 2.5]", "float"), ElementsAre(1.0, 2.5));
  EXPECT_THAT(values(R"("[1, 0.5]")", "double"), ElementsAre(1.0, 0.5));
  EXPECT_THAT(values("[-3]", "real"), ElementsAre(-3.0));
  EXPECT_THAT(values("[0, true]", "bool"), ElementsAre(false, true));
  EXPECT_THAT(values(R"(["a", "b"])", "string"), ElementsAre("a", "b"));
  EXPECT_THAT(values(R"("['a', 'b']")", "string"), ElementsAre("a", "b"));
}

TEST(T1Space, KeepsTheOrderOfValuesAndReportsDefaults) {
  const T1Space space = read_t1_space(
      document(R"({"Name": "a", "Type": "int", "Values": [4, 2], "Default": 2}, {"Name": "b", "Type": "float",
                "Values": [1], "Default": 7}, {"Name": "c", "Type": "int", "Values": "[1]", "Default": null})"),
      "folder/some.t1.json");
  EXPECT_EQ(space.name, "some.t1");
  EXPECT_THAT(space.parameters[0].values, ElementsAre(4, 2));
  EXPECT_THAT(space.defaults, ElementsAre(std::optional<Value>(2), std::optional<Value>(7.0), std::nullopt));
}

TEST(T1Space, IgnoresWhatItDoesNotKnow) {
  const T1Space space = read_t1_space(
      R"({"General": {"BenchmarkName": "n", "X": [1]}, "KernelSpecification": {"Stream": null}, "ConfigurationSpace":
      {"TuningParameters": [{"Name": "p", "Type": "int", "Values": [1], "Y": {}}], "Z": 0}})",
      "t.json");
  EXPECT_EQ(space.name, "n");
  EXPECT_TRUE(space.rules.empty());
}

struct Broken {
  std::string text;
  std::string message;
};
void PrintTo(const Broken& item, std::ostream* out) { *out << item.message; }

class BrokenDocument : public testing::TestWithParam<Broken> {};

TEST_P(BrokenDocument, IsRefusedByNameAndReason) {
  try {
    read_t1_space(GetParam().text, "some.json");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("some.json: "));
    EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    EXPECT_LT(std::string_view(error.what()).size(), 1500u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Json, BrokenDocument,
    testing::ValuesIn(std::vector<Broken>{
        {"", "no JSON"},
        {"{", "no JSON"},
        {"[1]", "expected an object"},
        {"{}", "`ConfigurationSpace` is missing"},
        {R"({"ConfigurationSpace": []})", "`ConfigurationSpace` must be an object"},
        {R"({"ConfigurationSpace": {}})", "`TuningParameters` is missing"},
        {R"({"ConfigurationSpace": {"TuningParameters": {}}})", "`TuningParameters` must be an array"},
        {document(""), "`TuningParameters` is empty"},
        {R"({"ConfigurationSpace": {"TuningParameters": [{"Name": "p", "Type": "int", "Values": [1]}],
          "Conditions": "p > 1"}})",
         "`Conditions` must be an array"},
        {R"({"a": 1, "a": 2})", "the key a stands twice"},
        {std::string(100, '[') + std::string(100, ']'), "nested more than 64 deep"},
        {std::string(1000000, '['), "nested more than 64 deep"},
        {R"({"a": NaN})", "no JSON"},
        {R"({"a": 1e999})", "no JSON"},
        {"{\"a\": \"\xff\"}", "no JSON"},
        {std::string("{}\0", 3), "a NUL byte"}}));

INSTANTIATE_TEST_SUITE_P(Parameters, BrokenDocument,
                         testing::ValuesIn(std::vector<Broken>{
                             {document("3"), "TuningParameters[0]: expected an object"},
                             {document("{}"), "TuningParameters[0]: `Name` is missing"},
                             {document(R"({"Name": 3})"), "TuningParameters[0]: `Name` must be a text"},
                             {document(parameter("[1]", "int", "a b")), "`a b` is no name"},
                             {document(parameter("[1]", "int", "")), "`` is no name"},
                             {document(parameter("[1]", "int", "lambda")), "`lambda` is no name"},
                             {document(parameter("[1]", "int", "True")), "`True` is no name"},
                             {document(R"({"Name": "p", "Values": [1]})"), "parameter `p`: `Type` is missing"},
                             {document(parameter("[1]", "flaot")), "unknown type `flaot`; did you mean `float`"},
                             {document(R"({"Name": "p", "Type": "int"})"), "`Values` is missing"},
                             {document(parameter("7")), "`Values` must be an array"},
                             {document(parameter("[]")), "parameter `p`: no values"},
                             {listed("[]"), "parameter `p`: no values"},
                             {document(parameter("[1, 2, 1]")), "the value 1 stands twice"},
                             {document(parameter("[1, 1.0]", "float")), "the value 1.0 stands twice"},
                             {document(parameter("[1.5]")), "the value 1.5 does not fit the type int"},
                             {listed("[8 / 2]"), "the value 4.0 does not fit the type int: an integer (`//` divides"},
                             {document(parameter("[true]")), "does not fit the type int"},
                             {document(parameter("[2]", "bool")), "does not fit the type bool"},
                             {document(parameter(R"(["a"])", "float")), "does not fit the type float"},
                             {document(parameter(R"([""])", "string")), "does not fit the type string"},
                             {document(parameter("[null]")), "a value is a number"},
                             {document(parameter("[[1]]")), "a value is a number"},
                             {document(parameter("[9223372036854775808]")), "9223372036854775808 is too large"},
                             {document(R"({"Name": "p", "Type": "int", "Values": [1], "Default": "x"})"),
                              "does not fit the type int"},
                             {document(parameter("[1]") + ',' + parameter("[2]")), "parameter `p` stands twice"}}));

INSTANTIATE_TEST_SUITE_P(Lists, BrokenDocument,
                         testing::ValuesIn(std::vector<Broken>{
                             {listed(""), "expected a list"},
                             {listed("[1, 2"), "the list ends without `]`"},
                             {listed("[1, 2] 3"), "expected `+` or the end"},
                             {listed("[1, n]"), "unknown name `n`"},
                             {listed("[1 / 0]"), "division by zero in `1 / 0`"},
                             {listed("[8 // i for i in range(2)]"), "division by zero in `8 // i` (i=0)"},
                             {listed("range(10**9)"), "more than 65535 values"},
                             {listed("range(-9223372036854775807, 9223372036854775807)"), "more than 65535 values"},
                             {listed("range(65535) + [1]"), "more than 65535 values"},
                             {listed("range(1, 9, 0)"), "must not be 0"},
                             {listed("range(1.5)"), "range takes integers"},
                             {listed("range()"), "range takes 1 to 3 arguments"},
                             {listed("[1, i for i in range(2)]"), "after the only element"},
                             {listed("[i for i in range(2) for j in range(2)]"), "one `for`"},
                             {listed("[i for 3 in range(2)]"), "expected a name after `for`"},
                             {listed("[i for i range(2)]"), "expected `in`"},
                             {listed("(1)"), "one value in parentheses is no list"},
                             {listed("[__import__('os').system('true')]"), "attributes"},
                             {listed(std::string(100000, '[')), "some.json: parameter `p`: "},
                             {document(parameter("\"" +
                                                 [] {
                                                   std::string text;
                                                   for (int i = 0; i < 20000; ++i) text += "list(";
                                                   return text;
                                                 }() +
                                                 "\"")),
                              "lists nested more than 50 deep"}}));

INSTANTIATE_TEST_SUITE_P(
    Conditions, BrokenDocument,
    testing::ValuesIn(std::vector<Broken>{
        {document(parameter("[1]"), "3"), "Conditions[0]: expected an object"},
        {document(parameter("[1]"), "{}"), "Conditions[0]: `Expression` is missing"},
        {document(parameter("[1]"), R"({"Expression": 3})"), "`Expression` must be a text"},
        {document(parameter("[1]"), R"({"Expression": "p > 0"}, {"Expression": "p >"})"), "Conditions[1]: `p >`"},
        {document(parameter("[1]"), R"({"Expression": "p && p"})"), "write `and`"},
        {document(parameter("[1]"), R"({"Expression": "q > 1"})"), "`q > 1`: `q` is no parameter"},
        {document(parameter("[1]"), R"({"Expression": "p > 1", "Parameters": ["q"]})"), "`q` is no parameter"},
        {document(parameter("[1]"), R"({"Expression": "p > 1", "Parameters": "p"})"), "must be an array of names"},
        {document(parameter("[1]"), R"({"Expression": "p > 1", "Parameters": [1]})"), "must be an array of names"}}));

TEST(T1Space, RefusesListsThatTakeLongQuickly) {
  std::string chain = "i";
  for (int i = 0; i < 14; ++i) chain = "(0 < " + chain + " < 9)";
  const std::string costly = parameter("\"[" + chain + " for i in range(60000)]\"");
  const auto start = std::chrono::steady_clock::now();
  try {
    read_t1_space(document(costly), "some.json");
    FAIL() << "was read";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("too long to compute"));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

TEST(T1File, ThatCannotBeReadIsNamed) {
  EXPECT_THAT([] { load_t1_space("/nowhere/space.json"); },
              testing::ThrowsMessage<UsageError>(HasSubstr("/nowhere/space.json: there is no such file")));
  EXPECT_THAT([] { load_t1_space("/"); }, testing::ThrowsMessage<UsageError>(HasSubstr("no regular file")));
}

// Edits of a document: bytes changed, taken out, put in, or the end cut off.
std::string mutated(std::string text, std::mt19937_64& random) {
  const std::string_view pieces[] = {"\"",   "[",     "]",    "{",     "}",    ",",  ":",      "\\",
                                     "\xff", "1e999", "null", " for ", " in ", "**", "range(", "-"};
  for (auto edits = 1 + random() % 3; edits > 0; --edits) {
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 4) {
      case 0:
        text.erase(at, random() % 8);
        break;
      case 1:
        text.insert(at, pieces[random() % std::size(pieces)]);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(random() % 256);
        break;
      default:
        if (random() % 8 == 0) text.resize(at);
    }
  }
  return text;
}

TEST(MutatedT1Document, IsReadOrRefused) {
  constexpr int mutations = 1500;
  for (const char* const name : {"kt_pnpoly", "dedispersion_milo"}) {
    std::ifstream file(data_file(name));
    std::ostringstream whole;
    whole << file.rdbuf();
    // The kernel's description is of no interest: most edits would fall into it.
    const std::string text = whole.str().substr(0, whole.str().find("\"KernelSpecification\""));
    const std::string document = text.substr(0, text.rfind(',')) + "}";
    std::mt19937_64 random(11);
    int read = 0, refused = 0;
    for (int i = 0; i < mutations; ++i) {
      try {
        read_t1_space(mutated(document, random), "mutant.json");
        ++read;
      } catch (const UsageError& error) {
        ++refused;
        EXPECT_LT(std::string_view(error.what()).size(), 2000u);
      }
    }
    EXPECT_GT(read, mutations / 20) << name;
    EXPECT_GT(refused, mutations / 4) << name;
  }
}

}  // namespace
}  // namespace attune
