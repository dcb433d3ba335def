// attune space: T1 documents, --audit, --sample, --why, --json, and what it refuses.
#include <set>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class Space : public Workbench {
 protected:
  CommandResult space(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "space");
    return attune(arguments);
  }
  static std::string gemm() { return ATTUNE_TEST_DATA "/spaces/gemm.json"; }
  static std::string hotspot() { return ATTUNE_TEST_DATA "/spaces/hotspot.json"; }

  // A T1 document of parameters ("A", "[1, 2]") and conditions.
  std::string document(const std::vector<std::pair<std::string, std::string>>& parameters,
                       const std::vector<std::string>& conditions) const {
    Json text;
    Json& from = text["ConfigurationSpace"];
    from["TuningParameters"] = Json::array();
    from["Conditions"] = Json::array();
    for (const auto& [name, values] : parameters) {
      const char* const type = values.find("True") != std::string::npos ? "bool"
                               : values.find('.') != std::string::npos  ? "float"
                                                                        : "int";
      from["TuningParameters"].push_back({{"Name", name}, {"Type", type}, {"Values", values}});
    }
    for (const std::string& condition : conditions) from["Conditions"].push_back({{"Expression", condition}});
    return write("mine.json", text.dump());
  }
  // Of parameters P0, P1, ... with these values.
  std::string wide(int parameters, const std::string& values, const std::vector<std::string>& conditions) const {
    std::vector<std::pair<std::string, std::string>> all;
    for (int i = 0; i < parameters; ++i) all.emplace_back("P" + std::to_string(i), values);
    return document(all, conditions);
  }
  std::string empty() const {
    return document({{"A", "[1, 2, 3, 4]"}, {"B", "[1, 2, 3, 4]"}, {"C", "[1, 2]"}},
                    {"A < B", "B < 3", "A > 1", "C != 2", "C == 2"});
  }
};

TEST_F(Space, OfAT1DocumentIsCountedListedAndShown) {
  EXPECT_EQ(space({gemm(), "--count"}).out, "116928\n");
  EXPECT_THAT(lines_of(space({hotspot(), "--list", "3"}).out), SizeIs(3));
  const CommandResult result = space({hotspot()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(
      result.out,
      AllOf(HasSubstr("hotspot\n  349,853 legal configurations of 22,200,000 combinations (1.58 %)"),
            HasSubstr("1 independent group of parameters, "), HasSubstr("blocks_per_sm           0, 1, 2, 3, 4\n"),
            HasSubstr(" 73.00 %  temporal_tiling_factor % loop_unroll_factor_t == 0")));
}

TEST_F(Space, MarksValuesThatNeverOccur) {
  const std::string file = document({{"A", "[1, 2, 3]"}, {"B", "[2, 3]"}}, {"A < B - 1"});
  EXPECT_THAT(space({file}).out, AllOf(HasSubstr("1, (2), (3)\n"), HasSubstr("(2), 3\n"), HasSubstr("in parentheses")));
  EXPECT_THAT(space({document({{"A", "[1, 2]"}}, {})}).out, AllOf(HasSubstr("no rules"), Not(HasSubstr("parenth"))));
}

TEST_F(Space, SizesBeyond64BitsArePrintedExactlyAndBeyondWhatCanBeCountedSaidToBe) {
  const std::string file = wide(30, "list(range(10))", {"P0 < P1"});
  EXPECT_EQ(space({file, "--count"}).out, "450000000000000000000000000000\n");
  const Json line = Json::parse(space({file, "--json"}).out);
  EXPECT_EQ(line.at("legal"), "450000000000000000000000000000");
  EXPECT_EQ(line.at("cartesian"), "1000000000000000000000000000000");
  const std::string beyond = wide(40, "list(range(10))", {"P0 < P1"});
  const CommandResult result = space({beyond, "--sample", "20"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.err, HasSubstr("beyond 2^128"));
  std::set<std::string> first;
  for (const std::string& drawn : lines_of(result.out)) first.insert(drawn.substr(0, drawn.find("P2=")));
  EXPECT_GT(first.size(), 10u) << "the first parameters are drawn like all others";
  EXPECT_THAT(space({beyond}).out, HasSubstr("at least 340,282,366"));
}

TEST_F(Space, SamplesAreLegalDifferentAndTheSameForASeed) {
  const CommandResult result = space({gemm(), "--sample", "50", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  std::set<std::string> indices;
  std::string some;
  for (const std::string& text : lines_of(result.out)) {
    const Json line = Json::parse(text);
    EXPECT_EQ(line.at("type"), "configuration");
    EXPECT_EQ(line.at("configuration").at("MWG").get<int>() % line.at("configuration").at("MDIMC").get<int>(), 0);
    indices.insert(line.at("index"));
  }
  EXPECT_THAT(indices, SizeIs(50));
  EXPECT_EQ(space({gemm(), "--sample", "50", "--seed", "0", "--json"}).out, result.out);
  EXPECT_NE(space({gemm(), "--sample", "50", "--seed", "1", "--json"}).out, result.out);
  const std::string small = document({{"A", "[1, 2, 3]"}}, {"A > 1"});
  EXPECT_THAT(lines_of(space({small, "--sample", "9"}).out), testing::UnorderedElementsAre("A=2", "A=3"));
}

TEST_F(Space, AuditSaysWhatRulesDoAndWhichSayNothingNew) {
  const CommandResult result = space({hotspot(), "--audit"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("16,206,000 (73.00 %)  1,062,587 (75.23 %)  temporal_tiling_factor %\n"),
                    HasSubstr("12,900,000 (58.11 %)          0 ( 0.00 %)  block_size_x*block_size_y <= 1024\n"),
                    HasSubstr("  says the same as\n"),
                    HasSubstr("cannot matter\n  grid_width=4096, grid_height=4096, max_tfactor=10\n"),
                    HasSubstr("no rule mentions\n  grid_width, grid_height, max_tfactor\n")));
  EXPECT_THAT(space({gemm(), "--audit"}).out, HasSubstr("always holds"));
  EXPECT_THAT(space({scale(), "--device", "sm_90", "--audit"}).out,
              AllOf(HasSubstr("1 (16.67 %)  1 (16.67 %)  BLOCK * ITEMS <= 128"),
                    HasSubstr("and 3 limits of the device always hold")));
}

TEST_F(Space, AuditIsOneObjectForPrograms) {
  const Json line = Json::parse(space({hotspot(), "--audit", "--json"}).out);
  EXPECT_EQ(line.at("type"), "audit");
  EXPECT_EQ(line.at("name"), "hotspot");
  EXPECT_EQ(line.at("legal"), "349853");
  EXPECT_EQ(line.at("exact"), true);
  EXPECT_EQ(line.at("core"), nullptr);
  ASSERT_THAT(line.at("rules"), SizeIs(6));
  EXPECT_EQ(line.at("rules")[1].at("alone").at("count"), "16206000");
  EXPECT_DOUBLE_EQ(line.at("rules")[1].at("alone").at("fraction"), 0.73);
  EXPECT_EQ(line.at("rules")[2].at("need"), "follows");
  EXPECT_EQ(line.at("rules")[2].at("follows_from"), 5);
  EXPECT_EQ(line.at("rules")[2].at("same"), true);
  EXPECT_EQ(line.at("parameters")[0].at("only"), 4096);
}

TEST_F(Space, AuditOfAnEmptySpaceNamesTheFewestRulesToBlame) {
  const std::string file = empty();
  const CommandResult result = space({file, "--audit"});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, AllOf(HasSubstr("these 2 rules together leave nothing; no fewer do\n  C != 2\n  C == 2\n"),
                                Not(HasSubstr("values that never occur"))));
  const Json line = Json::parse(space({file, "--audit", "--json"}).out);
  EXPECT_EQ(line.at("legal"), "0");
  EXPECT_THAT(line.at("core").at("rules"), ElementsAre(3, 4));
  EXPECT_EQ(line.at("core").at("smallest"), true);
  EXPECT_THAT(space({document({{"A", "[1, 2]"}}, {"A > 0", "A > 2"}), "--audit"}).out,
              HasSubstr("this rule alone leaves nothing\n  A > 2\n"));
}

TEST_F(Space, AnEmptySpaceHasNothingToListAndSaysWhereToLook) {
  const std::string file = empty();
  EXPECT_EQ(space({file, "--count"}).out, "0\n");
  for (const char* view : {"--list", "--sample"}) {
    const CommandResult result = space({file, view, "3"});
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, AllOf(HasSubstr("no configuration of mine is legal"), HasSubstr("--audit says why")));
  }
  EXPECT_THAT(space({file, "--why", "A=2 B=3"}).out, HasSubstr("no configuration is legal at all"));
}

TEST_F(Space, WhyNamesTheRulesThatAConfigurationBreaksAndTheNearestLegalOne) {
  EXPECT_THAT(space({scale(), "--why", "BLOCK=32 ITEMS=2"}).out, HasSubstr("is legal: index 3 of 5"));
  const CommandResult result = space({scale(), "--why", "ITEMS=2 BLOCK=128"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("BLOCK=128 ITEMS=2\n  is not legal: it breaks\n"),
                                HasSubstr("    BLOCK * ITEMS <= 128 (BLOCK=128, ITEMS=2)\n"),
                                HasSubstr("nearest legal configuration, index "), HasSubstr("instead of")));
  const Json line = Json::parse(space({scale(), "--why", "ITEMS=2 BLOCK=128", "--json"}).out);
  EXPECT_EQ(line.at("matching"), "0");
  EXPECT_EQ(line.at("whole"), true);
  EXPECT_EQ(line.at("example"), nullptr);
  EXPECT_THAT(line.at("broken"), ElementsAre("BLOCK * ITEMS <= 128 (BLOCK=128, ITEMS=2)"));
  EXPECT_FALSE(line.at("nearest").at("index").get<std::string>().empty());
}

TEST_F(Space, WhyOfSomeValuesFindsExamplesOrTheRulesThatForbidThemTogether) {
  const std::string file =
      document({{"A", "[1, 2, 3]"}, {"B", "[1, 2, 3]"}, {"C", "[1.0, 2.5]"}, {"D", "[True, False]"}},
               {"A < B", "B < 3 or C > 2", "C < 2 or A < 2", "D or A > 0"});
  EXPECT_THAT(space({file, "--why", "A=2"}).out,
              AllOf(HasSubstr("no legal configuration has this value; these rules together forbid it"),
                    HasSubstr("    A < B\n    B < 3 or C > 2\n    C < 2 or A < 2\n"), Not(HasSubstr("    D or A")),
                    HasSubstr("    A: 1 instead of 2\n")));
  EXPECT_THAT(space({file, "--why", "B=3"}).out,
              AllOf(HasSubstr("2 legal configurations with this value"), HasSubstr("A=1 B=3 C=2.5")));
  EXPECT_THAT(space({file, "--why", "C=1 D=False"}).out, HasSubstr("1 legal configuration with these values"));
  const Json line = Json::parse(space({file, "--why", "A=2", "--json"}).out);
  EXPECT_THAT(line.at("together"), SizeIs(3));
  EXPECT_EQ(line.at("whole"), false);
}

TEST_F(Space, CountAndListHaveJsonToo) {
  EXPECT_EQ(Json::parse(space({gemm(), "--count", "--json"}).out).at("legal"), "116928");
  const std::vector<std::string> lines = lines_of(space({scale(), "--list", "2", "--json"}).out);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(Json::parse(lines[1]).at("index"), "1");
  EXPECT_EQ(Json::parse(lines[1]).at("configuration"), Json::parse(R"({"BLOCK": 64, "ITEMS": 2})"));
  const Json line = Json::parse(space({scale(), "--json"}).out);
  EXPECT_EQ(line.at("problem"), "n=5000 T=float");
  EXPECT_EQ(line.at("legal"), "5");
  EXPECT_THAT(line.at("parameters")[0].at("never"), IsEmpty());
  EXPECT_EQ(line.at("rules")[0].at("rule"), "BLOCK * ITEMS <= 128");
}

TEST_F(Space, DocumentationShowsWhatIsPrinted) {
  const std::string page = content_of(ATTUNE_SOURCE_DIR "/docs/search_spaces.md");
  const std::string dedispersion = ATTUNE_TEST_DATA "/spaces/dedispersion.json";
  const std::string wish = "block_size_x=16 tile_size_x=1 tile_stride_x=1";
  const std::vector<std::vector<std::string>> shown = {
      {dedispersion, "--audit"}, {dedispersion, "--why", wish}, {dedispersion, "--sample", "3"}};
  for (const std::vector<std::string>& arguments : shown) {
    std::string block;
    for (const std::string& line : lines_of(space(arguments).out)) block += "    " + line + "\n";
    EXPECT_THAT(page, HasSubstr(block)) << "docs/search_spaces.md shows another output of " << arguments[1];
  }
}

TEST_F(Space, RefusesWhatCannotBeAnswered) {
  const std::string broken = write("broken.json", "{");
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> refusals = {
      {{"nothing.json"}, {"nothing.json", "no such file"}},
      {{broken}, {"broken.json"}},
      {{gemm(), "--problem", "n=1"}, {"--problem", "gemm.json", "leave"}},
      {{gemm(), "--device", "sm_90"}, {"--device", "T1", "leave"}},
      {{gemm(), "--count", "--audit"}, {"--count", "--audit"}},
      {{gemm(), "--sample", "none"}, {"--sample", "none"}},
      {{gemm(), "--sample", "0"}, {"--sample", "0"}},
      {{gemm(), "--seed", "1"}, {"--seed", "--sample"}},
      {{gemm(), "--why", "MWGG=16"}, {"MWGG", "MWG"}},
      {{gemm(), "--why", "MWG=17"}, {"MWG=17", "16, 32, 64, 128"}},
      {{gemm(), "--why", "MWG"}, {"MWG"}},
      {{gemm(), "--why", ""}, {"--why", "A=1"}},
      {{document({{"A", "[1]"}}, {"A < X"})}, {"A < X", "X"}},
  };
  for (auto [arguments, words] : refusals) {
    arguments.insert(arguments.begin(), "space");
    EXPECT_EQ(expect_failure(2, arguments, words).out, "");
  }
}

// A sum modulo a prime leaves no two partial sums alike, so that no diagram of it is small.
class UncountableSpace : public Space {
 protected:
  static constexpr int count = 12;
  static long long weight(int i) { return 1009091LL * i * i + 77127 * i + 13; }
  static std::string name(int i) { return "P" + std::to_string(i); }
  static std::string rule() {
    std::string sum;
    for (int i = 0; i < count; ++i) sum += (i > 0 ? " + " : "(") + std::to_string(weight(i)) + " * " + name(i);
    return sum + ") % 10000019 < 5000003";
  }
};

TEST_F(UncountableSpace, IsNamedAndOnlyLegalConfigurationsAreShown) {
  const std::string file = wide(count, "list(range(16))", {rule(), "P0 < 4"});
  const CommandResult counted = space({file, "--count", "--json"});
  EXPECT_EQ(counted.code, 0);
  EXPECT_THAT(counted.err, AllOf(HasSubstr("% 10000019"), HasSubstr("upper bounds"), Not(HasSubstr("P0 < 4"))));
  EXPECT_EQ(Json::parse(counted.out).at("exact"), false);
  EXPECT_THAT(Json::parse(counted.out).at("uncounted"), SizeIs(1));
  const std::vector<std::string> lines = lines_of(space({file, "--list", "30", "--json"}).out);
  EXPECT_THAT(lines, SizeIs(30));
  for (const std::string& line : lines) {
    const Json configuration = Json::parse(line).at("configuration");
    long long total = 0;
    for (int i = 0; i < count; ++i) total += weight(i) * configuration.at(name(i)).get<int>();
    EXPECT_LT(total % 10000019, 5000003);
  }
}

TEST_F(UncountableSpace, IsTunedWithAWordAboutIt) {
  std::string parameters = "[parameters]\n";
  for (int i = 0; i < count; ++i) parameters += name(i) + " = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\n";
  const std::string file = scale_with(
      {{"\"BLOCK * ITEMS <= 128\"", "\"BLOCK * ITEMS <= 128\", \"" + rule() + "\""}, {"[parameters]\n", parameters}});
  const std::string out = output_of({"tune", file, "--trials", "1"});
  EXPECT_THAT(out, HasSubstr("at most 1,407,374,883,553,280 legal configurations"));
  EXPECT_EQ(count_of(out, "too large to count under `" + rule() + "`"), 1u);
}

}  // namespace
}  // namespace attune::test
