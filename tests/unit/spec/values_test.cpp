// [values], ranges of parameters, and choices of the problem.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kernel/instantiate.hpp"
#include "kernel/nearness.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/cases.hpp"
#include "unit/spec/everything.hpp"

namespace attune::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// everything.cu with a section [values], and with what is replaced in it.
std::string with_values(const std::string& values) {
  return edited(whole_file(), "[restrictions]", "[values]\n" + values + "\n[restrictions]");
}

std::string message_of_text(const std::string& text) {
  try {
    read_kernel_text(text, "k.cu");
  } catch (const SpecError& error) {
    return error.what();
  }
  return "it was read";
}

// Returns "k.cu:LINE:" of the first occurrence.
std::string line_of(const std::string& text, std::string_view what) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return fmt::format("k.cu:{}:", std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n') + 1);
}

TEST(Values, StandInParenthesesWhereTheirNamesStood) {
  std::string text = with_values("tile = \"ZETA * ITEMS\"\nblocks = \"ceil_div(n, tile)\"\nlimit = 4096\nfast = false");
  text = edited(text, "\"ceil_div(n, ZETA * ITEMS)\", \"2\"", "\"blocks\", \"2\"");
  text = edited(text, "\"ZETA * ITEMS <= n\"", "\"2 * tile <= max(limit, n) || fast || ORDER == 'tile'\"");
  text = edited(text, "value = \"ceil_div(n, ZETA)\"", "value = \"blocks\"");
  const KernelSpec spec = read_kernel_text(text, "k.cu");
  EXPECT_EQ(spec.launch[1].grid[0].text(), "(ceil_div(n, (ZETA * ITEMS)))");
  EXPECT_EQ(spec.rules[1].text(), "2 * (ZETA * ITEMS) <= max((4096), n) || (false) || ORDER == 'tile'");
  EXPECT_EQ(spec.find_argument("tiles")->value->text(), "(ceil_div(n, (ZETA * ITEMS)))");
  const Configuration configuration{
      {"ZETA", 128}, {"ALPHA", true}, {"ORDER", "Order::rows"}, {"FACTOR", 0.5}, {"ITEMS", 4}};
  const Bindings problem{{"n", 10000}, {"offset", 0}, {"shift", 0}, {"T", "float"}};
  const Scope scope{.problem = &problem, .configuration = &configuration};
  EXPECT_EQ(spec.launch[1].grid[0].integer(scope, "grid"), 20);
  EXPECT_EQ(spec.find_argument("tiles")->value->integer(scope, "tiles"), 20);
}

TEST(Values, AreInFingerprintsAsTheExpressionsThatTheyStandFor) {
  const auto of = [](const std::string& text) { return read_kernel_text(text, "k.cu").fingerprints; };
  const Fingerprints before = of(whole_file()), unused = of(with_values("unused = \"2 * ZETA\""));
  EXPECT_EQ(unused.contract, before.contract);
  EXPECT_EQ(unused.space, before.space);
  const std::string_view grid = "\"ceil_div(n, ZETA * ITEMS)\", \"2\"";
  const Fingerprints named = of(edited(with_values("tile = \"ZETA * ITEMS\""), grid, "\"ceil_div(n, tile)\", \"2\""));
  const Fingerprints written = of(edited(whole_file(), grid, "\"ceil_div(n, (ZETA * ITEMS))\", \"2\""));
  EXPECT_EQ(named.contract, written.contract);
  EXPECT_EQ(named.space, before.space);
  EXPECT_NE(of(edited(with_values("tile = \"ZETA\""), grid, "\"ceil_div(n, tile)\", \"2\"")).contract, named.contract);
}

TEST(Values, ThatCannotBeAreRefusedAtTheirLine) {
  // The section, what is replaced, with what; a text in the line of the error, words of the message.
  constexpr std::string_view table = R"table(
    a = "b"\nb = "m" => "2 * n" => "2 * n" => a = "b" => `m` in `(m)` is neither a problem name nor a parameter
    a = "n +"\nb = "a" => "2 * n" => "2 * n" => a = "n +" => expected
    a = "m + 1" => "2 * n" => "2 * n" => a = "m + 1" => `m` in `m + 1` is neither a problem name nor a parameter
    a = "n +" => "2 * n" => "2 * n" => a = "n +" => expected
    n = "4" => "2 * n" => "2 * n" => n = "4" => `n` is a problem name already
    ZETA = "4" => "2 * n" => "2 * n" => ZETA = "4" => `ZETA` is a parameter already
    tiles = "4" => "2 * n" => "2 * n" => tiles = "4" => `tiles` is an argument already
    float = "4" => "2 * n" => "2 * n" => float = "4" => it is a type
    a = [1] => "2 * n" => "2 * n" => a = [1] => an expression in quotes
    a = "ZETA" => "2 * n" => "a * n" => "a * n" => it is written with `a` of [values]
    a = "ZETA" => "ceil_div(n, 256)" => "ceil_div(n, a)" => "ceil_div(n, a)" => a [[reference]] step may mention
    a = "float" => 8 * epsilon(T) => 8 * epsilon(a) => 8 * epsilon(a) => `a` of [values] does not fit into
    a = "n" => everything<T, ZETA => everything<T, a => everything<T, a => is a value: inside <...>)table";
  for (const auto& one : cases(table)) {
    SCOPED_TRACE(one.at(0) + one.at(2));
    const std::string text = edited(with_values(one.at(0)), one.at(1), one.at(2)), message = message_of_text(text);
    EXPECT_THAT(message, HasSubstr(line_of(text, one.at(3))));
    EXPECT_THAT(message, HasSubstr(one.at(4)));
  }
}

// Files in which each value stands above those that use it keep their fingerprints, and so their wisdom.
TEST(Values, MayStandInAnyOrder) {
  const auto of = [](const std::string& values) {
    std::string text = edited(with_values(values), "\"ceil_div(n, ZETA * ITEMS)\", \"2\"", "\"blocks\", \"2\"");
    return read_kernel_text(edited(text, "\"ZETA * ITEMS <= n\"", "\"tile <= n\""), "k.cu");
  };
  const std::string tile = "tile = \"ZETA * items\"\n", items = "items = \"ITEMS\"\n",
                    blocks = "blocks = \"ceil_div(n, tile)\"\n";
  const KernelSpec ordered = of(items + tile + blocks);
  EXPECT_EQ(ordered.launch[1].grid[0].text(), "(ceil_div(n, (ZETA * (ITEMS))))");
  EXPECT_EQ(ordered.fingerprints.contract, "141d8045a12d1c2716e399f4a92976a98019966fe18764e83505aa2f242eb5da");
  for (const std::string& values : {blocks + tile + items, tile + blocks + items, blocks + items + tile}) {
    SCOPED_TRACE(values);
    const KernelSpec spec = of(values);
    EXPECT_EQ(spec.launch[1].grid[0].text(), ordered.launch[1].grid[0].text());
    EXPECT_EQ(spec.fingerprints.contract, ordered.fingerprints.contract);
    EXPECT_EQ(spec.fingerprints.space, ordered.fingerprints.space);
  }
}

TEST(Values, ThatUseEachOtherInACircleAreRefusedWithTheWholeCircle) {
  const std::pair<const char*, const char*> table[] = {
      {"a = \"a + 1\"", "`a` uses `a`: a circle gives no value"},
      {"a = \"b\"\nb = \"2 * c\"\nc = \"n + a\"", "`a` uses `b`, `b` uses `c`, `c` uses `a`: a circle"},
      {"first = \"n + a\"\na = \"n * b\"\nb = \"a\"", "k.cu:LINE:5: `a` uses `b`, `b` uses `a`: a circle"},
      {"a = \"ceil_div(n, a) + zeta\"", "`a` uses `a`"},
  };
  for (const auto& [values, words] : table) {
    const std::string text = with_values(values), message = message_of_text(text);
    std::string expected = words;
    if (const auto at = expected.find("k.cu:LINE:"); at != std::string::npos)
      expected.replace(at, 10, line_of(text, "a = \"n * b\""));
    EXPECT_THAT(message, HasSubstr(expected));
  }
}

TEST(Values, ThatGrowTooLargeInTheirPlacesAreRefused) {
  std::string values = "v0 = \"n + 1\"\n";
  for (int i = 1; i < 30; ++i) values += fmt::format("v{} = \"v{} + v{}\"\n", i, i - 1, i - 1);
  EXPECT_THAT(message_of_text(with_values(values)), HasSubstr("the most is"));
  std::string terms = "n";
  for (int i = 0; i < 900; ++i) terms += "+n";
  values = fmt::format("a = \"{}\"\n", terms) + "b = \"a*a*a*a*a*a\"";
  EXPECT_THAT(message_of_text(with_values(values)), HasSubstr("the most is 10000"));
}

TEST(Ranges, AreListsWithTheDefaultFirst) {
  const auto values = [](const std::string& range) {
    return read_kernel_text(edited(whole_file(), "ITEMS = [2, 1, 4]", "ITEMS = " + range), "k.cu").parameters[4].values;
  };
  EXPECT_THAT(values("{ from = 1, to = 4, times = 2 }"), ElementsAre(1, 2, 4));
  EXPECT_THAT(values("{ from = 1, to = 4, times = 2, default = 4 }"), ElementsAre(4, 1, 2));
  EXPECT_THAT(values("{ from = 2, to = 8, step = 2, default = 4 }"), ElementsAre(4, 2, 6, 8));
  EXPECT_THAT(values("{ from = -4, to = 4, step = 4, default = 4 }"), ElementsAre(4, -4, 0));
  EXPECT_THAT(values("{ from = 4, to = 4, step = 9 }"), ElementsAre(4));
  constexpr std::string_view most = "{ from = 1, to = 9223372036854775807, step = 9223372036854775806 }";
  EXPECT_EQ(values(std::string(most)).size(), 2u);
  const auto fingerprint = [](std::string_view items) {
    return read_kernel_text(edited(whole_file(), "[2, 1, 4]", items), "k.cu").fingerprints.space;
  };
  EXPECT_EQ(fingerprint("{ from = 1, to = 4, times = 2, default = 2 }"), fingerprint("[2, 1, 4]"));
}

TEST(Ranges, ThatCannotBeAreRefused) {
  constexpr std::string_view table = R"table(
    { from = 1, to = 4 } => either `step`  ;;  { from = 1, to = 4, step = 1, times = 2 } => either `step`
    { to = 4, step = 1 } => needs `from`   ;;  { from = 1, step = 1 } => needs `to`
    { from = 1, to = 4, step = 2 } => does not end at 4: from 1 by steps of 2 it comes to 3 last
    { from = 1, to = 6, times = 2 } => from 1 times 2 it comes to 4 last
    { from = 4, to = 1, step = 1 } => ends at 1, before it begins at 4
    { from = 1, to = 4, step = 0 } => `step` is at least 1  ;;  { from = 1, to = 4, times = 1 } => at least 2
    { from = 0, to = 4, times = 2 } => begins at 1 or more  ;;  { from = 1.5, to = 4, step = 1 } => an integer
    { from = 1, to = 4, step = 1, default = 5 } => the default 5 is not in the range
    { from = 1, to = 4, stop = 1 } => did you mean `step`
    { from = 0, to = 9223372036854775807, step = 1 } => more than 65535 values)table";
  for (const auto& one : cases(table)) {
    SCOPED_TRACE(one.at(0));
    EXPECT_THAT(message_of_text(edited(whole_file(), "[2, 1, 4]", one.at(0))), HasSubstr(one.at(1)));
  }
}

// everything.cu with another problem entry.
std::string with_choice(const std::string& choice) {
  return edited(whole_file(), "offset = \"integer\"", "offset = \"integer\"\nOP = " + choice);
}

TEST(Choices, AreNamesOfTheProblemOfWhichTheFirstIsTheDefault) {
  std::string text = with_choice("{ choice = [\"Op::sum\", \"Op::min\"] }");
  text = edited(text, "everything<T, ZETA", "everything<T, OP, ZETA");
  text = edited(text, "\"ZETA * ITEMS <= n\"", "\"ZETA * ITEMS <= n || OP == 'Op::min'\"");
  const KernelSpec spec = read_kernel_text(text, "k.cu");
  const ProblemParameter& choice = *spec.find_problem("OP");
  EXPECT_EQ(choice.kind, ProblemKind::choice);
  EXPECT_THAT(choice.choices, ElementsAre("Op::sum", "Op::min"));
  const auto text_of = [&](std::string_view problem) { return parse_problem(spec, problem, "host").text(); };
  EXPECT_THAT(text_of("offset=1"), HasSubstr("OP=Op::sum"));
  EXPECT_THAT(text_of("offset=1 OP=Op::min"), HasSubstr("OP=Op::min"));
  const Problem least = parse_problem(spec, "offset=1 OP=Op::min", "host");
  EXPECT_EQ(instantiate_entry(spec.launch[1].entry, {.problem = &least}),
            "everything<float, Op::min, ZETA, ALPHA, ORDER, ITEMS>");
  const Problem most = parse_problem(spec, "offset=1", "host");
  EXPECT_EQ(problem_distance(spec, least, most).differing, 1);
  EXPECT_EQ(problem_distance(spec, least, least).differing, 0);
  for (const char* const wrong : {"OP=Op::mni", "OP=3", "OP=float"}) {
    try {
      text_of(std::string("offset=1 ") + wrong);
      ADD_FAILURE() << wrong;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr("expected one of Op::sum, Op::min"));
    }
  }
}

TEST(Choices, AreInTheContract) {
  const auto of = [](const std::string& choice) { return read_kernel_text(with_choice(choice), "k.cu").fingerprints; };
  const Fingerprints two = of("{ choice = [\"Op::sum\", \"Op::min\"] }");
  EXPECT_NE(of("{ choice = [\"Op::min\", \"Op::sum\"] }").contract, two.contract);
  EXPECT_NE(of("{ choice = [\"Op::sum\"] }").contract, two.contract);
  EXPECT_EQ(of("{ choice = [\"Op::sum\"] }").space, two.space);
}

TEST(Choices, ThatCannotBeAreRefused) {
  constexpr std::string_view table = R"table(
    { choice = [] } => `OP` lists no choice  ;;  { choice = "Op::sum" } => a list of names
    { choice = [1] } => a name in quotes     ;;  { choice = ["a b"] } => no name of C++
    { choice = ["A", "A"] } => lists A twice ;;  { choice = ["half"] } => half is a type: types are listed as OP =
    { choice = ["true"] } => without quotes  ;;  { choice = ["A"], size = 3 } => unknown key `size`
    { chioce = ["A"] } => did you mean `choice`)table";
  for (const auto& one : cases(table)) {
    SCOPED_TRACE(one.at(0));
    EXPECT_THAT(message_of_text(with_choice(one.at(0))), HasSubstr(one.at(1)));
  }
  const std::string passed =
      edited(with_choice("{ choice = [\"A\"] }"), "offset = { type", "OP = { type = \"int32\" }\noffset = { type");
  EXPECT_THAT(message_of_text(passed), HasSubstr("`OP` is a choice of the problem"));
}

// Fields that a file does not use are in none of its fingerprints: wisdom of before goes on answering.
TEST(Fingerprints, OfFilesWithoutNewFieldsStay) {
  const Fingerprints fingerprints = read_kernel_text(whole_file(), "k.cu").fingerprints;
  EXPECT_EQ(fingerprints.code, "afe7d12b2e1a96dcd8c9efbee300e1e25b8d91717d4c3d0379e6678087ddea7c");
  EXPECT_EQ(fingerprints.contract, "31b1c604c7626dadbd26a175802982840ca137d2b95562ff40ae68d2fb2d0a08");
  EXPECT_EQ(fingerprints.space, "8174c644740a39cc0d201580e548c81fd50aebff9fa3751307ae540c6680b5ee");
}

}  // namespace
}  // namespace attune::tests
