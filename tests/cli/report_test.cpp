// attune report: a page, text, specifications, two databases, and what it refuses.
#include <filesystem>

#include "cli/workbench.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

const std::string recorded = std::string("replay:") + ATTUNE_TEST_DATA;

class Report : public Workbench {
 protected:
  // Stores a session of a recording.
  std::string tuned(const std::string& recording, const std::string& database = "wisdom.db") const {
    const std::string file = (folder_ / database).string();
    output_of({"tune", "--device", recorded + recording, "--effort", "exhaustive", "--seed", "1", "--db", file});
    return file;
  }
  std::string page_of(const std::vector<std::string>& more, const std::string& name = "report.html") const {
    std::vector<std::string> arguments = {"report", "-o", (folder_ / name).string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    output_of(arguments);
    return content_of(folder_ / name);
  }
};

// Returns what a page shows, without its scripts.
std::string shown(const std::string& page) {
  const std::size_t begin = page.find("<main"), end = page.find("</main>");
  return begin < end && end != std::string::npos ? page.substr(begin, end - begin) : "there is no <main>";
}

TEST_F(Report, IsAPageThatIsTheSameEachTime) {
  const std::string db = tuned("/recordings/bowl.json");
  const std::string page = page_of({"bowl", "--db", db});
  EXPECT_THAT(page, AllOf(HasSubstr("Content-Security-Policy"), HasSubstr("over the default"),
                          HasSubstr("TILE=32 ROWS=4"), HasSubstr("launch_error"), Not(HasSubstr(folder_.string()))));
  EXPECT_EQ(page, page_of({"--db", db}, "again.html")) << "the newest session is that of bowl";
}

TEST_F(Report, OfFourThousandTrialsIsSmall) {
  const std::string db = tuned("/recorded/matmul_4096_H100.json.xz");
  EXPECT_LE(page_of({"matmul", "--db", db}).size(), 1'500'000u);
}

TEST_F(Report, IsTextThatFitsATerminal) {
  const std::string db = tuned("/recordings/bowl.json");
  const std::string text = output_of({"report", "bowl", "--db", db, "--text"});
  EXPECT_THAT(text, AllOf(HasSubstr("Verdict\n"), HasSubstr("Finalists\n"), HasSubstr("Rejected configurations\n")));
  expect_to_fit(text);
}

TEST_F(Report, NamesNoFolderAndNoHostUnlessAsked) {
  const std::string kernel =
      scale_with("  const long long first =", "  static_assert(ITEMS == 1, \"items\");\n  const long long first =");
  output_of({"tune", kernel, "--db", database()});
  std::string host;
  {
    WisdomStore store(database(), WisdomStore::Access::read_only);
    const std::vector<SessionRow> sessions = store.sessions("scale");
    ASSERT_FALSE(sessions.empty());
    host = sessions.front().host;
  }
  const std::string page = page_of({kernel, "--db", database()});
  EXPECT_THAT(
      page, AllOf(HasSubstr("compile_error"), HasSubstr("static assertion failed"), Not(HasSubstr(folder_.string()))));
  EXPECT_THAT(shown(page), Not(HasSubstr("/tmp/")));
  EXPECT_THAT(shown(page), Not(ContainsRegex("\\b" + host + "\\b")));
}

TEST_F(Report, EscapesWhatOthersWrote) {
  DeviceInfo device = device_limits("sm_90");
  SessionRow row;
  row.key.record = {"hostile", "code", "contract", device.class_key(), Problem{{"n", Value(std::int64_t{1})}}};
  row.key.space = "space", row.key.strategy = "random", row.host = "machine-of-anna";
  {
    WisdomStore store(database());
    const std::int64_t session = store.begin_session(row, device);
    Trial trial;
    trial.verdict = Verdict::compile_error;
    trial.detail = "<script>alert(1)</script> \x1b[31m machine-of-anna </script>";
    trial.configuration = {{"A", Value("\"><img src=x onerror=alert(1)>")}};
    store.add_trial(session, trial);
  }
  const std::string page = page_of({"hostile", "--db", database()}), main = shown(page);
  EXPECT_THAT(main, AllOf(HasSubstr("&lt;script&gt;alert(1)"), Not(HasSubstr("<script>alert")), Not(HasSubstr("<img")),
                          Not(HasSubstr("\x1b"))));
  EXPECT_THAT(page, Not(HasSubstr("machine-of-anna")));
  EXPECT_THAT(page_of({"hostile", "--db", database(), "--names"}, "names.html"), HasSubstr("machine-of-anna"));
  EXPECT_THAT(output_of({"report", "hostile", "--db", database(), "--text"}), Not(HasSubstr("\x1b")));
}

TEST_F(Report, WritesBareSpecifications) {
  const std::string db = tuned("/recordings/bowl.json");
  const std::filesystem::path charts = folder_ / "charts";
  output_of({"report", "bowl", "--db", db, "--format", "vega-lite", "-o", charts.string()});
  const Json trials = Json::parse(content_of(charts / "trials.vl.json"));
  EXPECT_EQ(trials.at("data").at("values").size(), 42u);
  EXPECT_THAT(std::string(trials.at("$schema")), HasSubstr("vega-lite"));
  EXPECT_TRUE(std::filesystem::exists(charts / "finalists.vl.json"));
}

TEST_F(Report, PutsTwoDatabasesBesideEachOther) {
  const std::string first = tuned("/recordings/bowl.json", "before.db"),
                    second = tuned("/recordings/bowl.json", "after.db");
  const std::string text = output_of({"report", "--compare", first, second, "--text"});
  EXPECT_THAT(text, AllOf(HasSubstr("before"), HasSubstr("after"), HasSubstr("no clear")));
  expect_to_fit(text);
  EXPECT_THAT(page_of({"--compare", first, second}), HasSubstr("no clear difference"));
  expect_failure(2, {"report", "--compare", first, second, "--problem", "n=1"}, {"--problem"});
  expect_failure(2, {"report", "--compare", first}, {"two databases"});
}

TEST_F(Report, SaysWhatItCannotDo) {
  const std::string db = tuned("/recordings/bowl.json");
  expect_failure(2, {"report", "bowll", "--db", db}, {"bowll", "bowl"});
  expect_failure(2, {"report", "bowl", "--db", db, "--format", "pdf"}, {"pdf", "html, text, vega-lite"});
  expect_failure(2, {"report", "bowl", "--db", db, "--problem", "n=5"}, {"no session of bowl"});
  expect_failure(2, {"report", "bowl", "--db", db, "-o", db}, {"database"});
  expect_failure(2, {"report", "bowl", "--db", db, "--format", "vega-lite"}, {"name a folder"});
  expect_failure(1, {"report", "--db", (folder_ / "none.db").string()}, {"there is no database"});
}

}  // namespace
}  // namespace attune::test
