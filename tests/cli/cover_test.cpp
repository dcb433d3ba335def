// attune cover, from sessions on the host device to what an application launches.
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class Covers : public Workbench {
 protected:
  // Measures the five configurations of the kernel on problems of these sizes.
  void tune(std::initializer_list<int> sizes) const {
    std::vector<std::string> arguments = {"tune", scale(), "--effort", "exhaustive", "--time-limit", "20s"};
    for (const int n : sizes) {
      arguments.push_back("--problem");
      arguments.push_back("n=" + std::to_string(n));
    }
    output_of(arguments);
  }
  std::string rung_for(const std::string& problem) const {
    return events_of({"plan", scale(), "--problem", problem}).at(0).at("rung");
  }
  std::string place(const char* name) const { return (folder_ / name).string(); }
  void expect_to_go_with_tuned_files_and_embedded_kernels() const;
};

void Covers::expect_to_go_with_tuned_files_and_embedded_kernels() const {
  const Json here = events_of({"plan", scale(), "--problem", "n=60000"}).at(0);
  ASSERT_EQ(here.at("rung"), "cover");
  output_of({"export", "--format", "tuned", place("tuned"), scale()});
  const auto elsewhere = [&](const char* wisdom) {
    return events_of({"plan", scale(), "--problem", "n=60000", "--db", place("none.db"), "--wisdom", place(wisdom)})
        .at(0);
  };
  const Json bare = elsewhere("bare"), there = elsewhere("tuned");
  EXPECT_EQ(bare.at("rung"), "none") << bare;
  EXPECT_NE(bare.at("wisdom_digest"), there.at("wisdom_digest"));
  EXPECT_EQ(there.at("rung"), "cover");
  EXPECT_EQ(there.at("configuration"), here.at("configuration"));
  EXPECT_EQ(there.at("why"), here.at("why"));
  EXPECT_THAT(there.at("why").get<std::string>(), ContainsRegex("is expected to be [0-9.]+ % slower than the best"));
  const std::vector<std::string> why = {"plan",     scale(),        "--problem", "n=60000", "--why",
                                        "--wisdom", place("tuned"), "--regime",  "cold"};
  std::vector<Json> of_covers;
  for (const Json& one : of_type(events_of(why), "reason"))
    if (one.contains("cover")) of_covers.push_back(one);
  ASSERT_EQ(of_covers.size(), 2u) << "of the database and of the folder";
  EXPECT_EQ(of_covers[0].at("place"), 1);
  EXPECT_EQ(of_covers[0].at("rung"), "cover");
  EXPECT_EQ(of_covers[0].at("why"), here.at("why"));
  EXPECT_EQ(of_covers[0].at("cover").at("problems"), 3);
  EXPECT_THAT(of_covers[0].at("source").get<std::string>(), HasSubstr("the database"));
  EXPECT_THAT(of_covers[1].at("source").get<std::string>(), HasSubstr("the folder"));
  EXPECT_EQ(of_covers[1].at("why"), "the same cover of another source is asked before it");
  const std::string text = output_of(why);
  EXPECT_THAT(text, AllOf(HasSubstr("6 records and 2 covers of scale;"), HasSubstr("    1  cover          "),
                          HasSubstr("\n       cover of scale, made of 3 problems on ")));
  // Another text of the kernel has no cover of its own to write.
  output_of({"export", "--format", "tuned", place("other"), scale_with("T(3) * x", "T(2) * x + x")});
  EXPECT_FALSE(std::filesystem::exists(place("other")));
  ASSERT_EQ(run("attune-embed", {scale(), "--output", place("app.bundle"), "--wisdom", place("tuned")}).code, 0);
  EXPECT_THAT(content_of(place("app.bundle")), HasSubstr("n >= 2000 && n <= 1000000"));
}

TEST_F(Covers, AreMadeOfSessionsAndServeProblemsBetween) {
  tune({2000, 16000, 1000000});
  const Json dry = events_of({"cover", scale(), "--dry-run"}).at(0);
  EXPECT_EQ(dry.at("stored"), false);
  EXPECT_EQ(rung_for("n=60000"), "none");
  output_of({"export", "--format", "tuned", place("bare"), scale()});
  const Json made = events_of({"cover", scale(), "--configurations", "2"}).at(0);
  EXPECT_EQ(made.at("stored"), true);
  EXPECT_EQ(made.at("problems"), 3);
  EXPECT_EQ(made.at("missing_cells"), 0);
  EXPECT_LE(made.at("configurations").size(), 2u);
  EXPECT_THAT(made.at("tree").get<std::string>(), HasSubstr("T == 'float' ? ("));
  EXPECT_EQ(made.at("measured"), "n >= 2000 && n <= 1000000");
  std::size_t served = 0;
  for (const Json& one : made.at("configurations")) served += one.at("problems").size();
  EXPECT_EQ(served, 3u);
  EXPECT_GE(made.at("worst_loss").get<double>(), made.at("mean_loss").get<double>());
  EXPECT_EQ(rung_for("n=60000"), "cover");
  EXPECT_EQ(rung_for("n=2000"), "exact");
  EXPECT_EQ(rung_for("n=60000 T=int32"), "none");
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=90000000"}),
              AllOf(HasSubstr("rung           cover"), HasSubstr("beyond"), Not(HasSubstr("recorded for"))));
  EXPECT_THAT(output_of({"export", scale(), "--format", "header"}),
              AllOf(HasSubstr("1 cover"), HasSubstr("constexpr int cover_0(")));
  const std::string text = output_of({"cover", scale(), "--depth", "1"});
  EXPECT_THAT(text, AllOf(HasSubstr("measured on\n  3 problems"), HasSubstr("problems   loss  worst\n"),
                          HasSubstr("\ntree\n  "), HasSubstr("no other choice of configurations is better"),
                          HasSubstr("stored in ")));
  EXPECT_THAT(on_one_line(text), ContainsRegex("expected to be [0-9.]+ % slower than the best"));
  expect_to_fit(text);
  expect_to_go_with_tuned_files_and_embedded_kernels();
  // Another text of the kernel has no cover.
  const std::string other = scale_with("T(3) * x", "T(2) * x + x");
  EXPECT_EQ(events_of({"plan", other, "--problem", "n=60000"}).at(0).at("rung"), "none");
}

TEST_F(Covers, SayWhatIsMissing) {
  expect_failure(2, {"cover", scale()}, {"nothing is known of scale yet", "attune tune"});
  tune({2000, 50000});
  expect_failure(2, {"cover", scale()}, {"3 problems or more, and 2 have been measured"});
  expect_failure(2, {"cover", scale(), "--device", "cuda"}, {"nothing was measured of scale for this"});
  const std::string other = scale_with("T(3) * x", "T(2) * x + x");
  expect_failure(2, {"cover", other}, {"nothing was measured of scale for this", "attune tune " + other + " "});
  expect_failure(2, {"cover", scale(), "--depth", "9"}, {"depth"});
}

}  // namespace
}  // namespace attune::test
