// The commands that look into wisdom and keep it: sessions, show, forget, pin, db, plan --why, drift.
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class WisdomCommands : public Workbench {
 protected:
  // ITEMS=2 is wrong in its last element; BLOCK=32 does not compile.
  std::string partly_wrong() const {
    return scale_with(
        {{"scale<T, ITEMS>", "scale<T, ITEMS, BLOCK>"},
         {"template <typename T, int ITEMS>", "template <typename T, int ITEMS, int BLOCK>"},
         {"const long long first", "static_assert(BLOCK != 32, \"no such block\");\n  const long long first"},
         {"T(3) * x[first + i];", "T(3) * x[first + i] + (ITEMS == 2 && first + i == n - 1 ? 1 : 0);"}});
  }
  void execute(const std::string& statements) const {
    sqlite3* file = nullptr;
    ASSERT_EQ(sqlite3_open(database().c_str(), &file), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(file, statements.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(file);
    sqlite3_close(file);
  }
  Json only(const std::vector<std::string>& arguments, const std::string& type) const {
    const std::vector<Json> found = of_type(events_of(arguments), type);
    EXPECT_EQ(found.size(), 1u) << testing::PrintToString(arguments);
    return found.empty() ? Json::object() : found.front();
  }
};

TEST_F(WisdomCommands, SessionsAreListedWithWhatTheyFound) {
  EXPECT_EQ(output_of({"sessions"}), "no such sessions\n");
  output_of({"tune", scale(), "--seed", "7"});
  output_of({"tune", scale(), "--problem", "n=6000", "--trials", "2"});
  const std::string text = output_of({"sessions"});
  EXPECT_THAT(text, AllOf(ContainsRegex("\n +1  scale n=5000 T=float: best [0-9.]+ [um]?s, [0-9.]+x over the default"),
                          HasSubstr("n=6000 T=float"), HasSubstr("partial: 2 trials in ")));
  EXPECT_LT(text.find("n=6000"), text.find("n=5000")) << "the newest first";
  expect_to_fit(text);
  EXPECT_THAT(output_of({"sessions", "--limit", "1"}), HasSubstr("1 more: --limit 2 shows them"));
  EXPECT_THAT(output_of({"sessions", "scale", "--problem", "n=5000"}), Not(HasSubstr("n=6000")));
  EXPECT_EQ(output_of({"sessions", scale(), "--device", "cuda"}), "no such sessions of scale\n");
  expect_failure(2, {"sessions", "skale"}, {"did you mean `scale`?"});
  const Json session = only({"sessions", "--problem", "n=5000"}, "session");
  EXPECT_EQ(session.at("state"), "finished");
  EXPECT_EQ(session.at("trials"), 5);
  EXPECT_EQ(session.at("seed"), 7);
  EXPECT_GT(session.at("best_ns"), 0);
  EXPECT_EQ(session.at("configuration").size(), 2u);
  const std::vector<std::string> csv = lines_of(output_of({"sessions", "--csv"}));
  ASSERT_THAT(csv, SizeIs(3));
  EXPECT_THAT(csv[0], StartsWith("session,uuid,kernel,problem,device_class,"));
  EXPECT_THAT(csv[1], StartsWith("2,"));
  EXPECT_THAT(csv[1], HasSubstr(",scale,n=6000 T=float,"));
  expect_failure(2, {"sessions", "--csv", "--json"}, {"one of both"});
}

TEST_F(WisdomCommands, ShowHasTheBestTrialsTheVerdictsAndTheConditions) {
  output_of({"tune", partly_wrong(), "--seed", "1"});
  const std::string text = output_of({"show", "scale"});
  EXPECT_THAT(text, AllOf(ContainsRegex("\n  best trials +time  what differs from the best\n"),
                          ContainsRegex("\n  conditions +[0-9]+ rounds? of [0-9]+ launches"),
                          HasSubstr("compile_error, such as BLOCK=32"), HasSubstr("wrong_result, such as"),
                          Not(HasSubstr("other records"))));
  expect_to_fit(text);
  const auto lines = events_of({"show", "scale"});
  EXPECT_THAT(of_type(lines, "tried"), SizeIs(3));
  EXPECT_THAT(of_type(lines, "trial"), SizeIs(2));
  EXPECT_EQ(of_type(lines, "tried").at(0).at("count"), 2);
  EXPECT_EQ(lines.back().at("type"), "kernel");
}

TEST_F(WisdomCommands, ShowHasTheBoardsOfARecordThatWasMeasuredOnSeveral) {
  output_of({"tune", scale(), "--trials", "3"});
  EXPECT_THAT(output_of({"show", "scale"}), Not(HasSubstr("boards")));
  execute(
      R"(UPDATE record SET boards_differ = 1, boards = '[{"uuid":"GPU-1","rounds":9,"median_ns":12500.0,)"
      R"("speedup":1.5},{"uuid":"GPU-2","rounds":0,"median_ns":0.0,"speedup":1.0}]'; UPDATE trial SET board = 'GPU-2')");
  const std::string text = output_of({"show", "scale"});
  EXPECT_THAT(text, AllOf(ContainsRegex("; boards[ \n]+differ"),
                          ContainsRegex("\n  boards +GPU-1: 12.50 us, 1.50x, 9 rounds\n"),
                          ContainsRegex("\n +GPU-2: not measured, 0 rounds\n")));
  expect_to_fit(text);
  const auto lines = events_of({"show", "scale"});
  EXPECT_EQ(of_type(lines, "record").at(0).at("boards").at(0).at("rounds"), 9);
  EXPECT_EQ(of_type(lines, "trial").at(0).at("board"), "GPU-2");
}

TEST_F(WisdomCommands, ShowHasTheRecordsThatDoNotServeAndWhatIsInQuarantine) {
  output_of({"tune", scale(), "--effort", "exhaustive"});
  output_of({"tune", scale(), "--effort", "exhaustive", "--fresh"});
  execute("UPDATE trial SET verdict = 8, deaths = 2, detail = 'it hung' WHERE id = (SELECT max(id) FROM trial)");
  const std::string text = output_of({"show", "scale"});
  EXPECT_THAT(text, ContainsRegex("\n  quarantine +fault BLOCK=[0-9]+ ITEMS=[0-9]: it hung\n"));
  const auto others = of_type(events_of({"show", "scale"}), "other_record");
  if (!others.empty()) {  // the first record stands where the second search found nothing better
    EXPECT_THAT(text, HasSubstr("\n  other records  2"));
    EXPECT_THAT(others.at(0).at("why_not"),
                testing::AnyOf("another record is newer", "another configuration beat it in the same rounds"));
  }
  EXPECT_EQ(only({"show", "scale"}, "quarantined").at("verdict"), "fault");
}

TEST_F(WisdomCommands, ShowIsFilteredAndHasCsv) {
  for (const char* problem : {"n=5000", "n=6000"}) output_of({"tune", scale(), "--problem", problem, "--trials", "1"});
  EXPECT_THAT(output_of({"show", "scale", "--problem", "n=6000"}),
              AllOf(HasSubstr("scale n=6000"), Not(HasSubstr("scale n=5000")), HasSubstr("scale: 2 records")));
  EXPECT_THAT(output_of({"show", "scale", "--device", "cuda"}), HasSubstr("no such records of scale"));
  EXPECT_THAT(output_of({"show", "scale", "--limit", "1"}), HasSubstr("1 more record: --limit 2 shows them"));
  EXPECT_THAT(of_type(events_of({"show", "scale", "--problem", "n=6000"}), "record"), SizeIs(1));
  const std::vector<std::string> csv = lines_of(output_of({"show", "scale", "--csv"}));
  ASSERT_THAT(csv, SizeIs(3));
  EXPECT_THAT(csv[0], StartsWith("kernel,code,contract,device_class,problem,"));
}

TEST_F(WisdomCommands, WhatIsForgottenIsSaidAndGone) {
  for (const char* problem : {"n=5000", "n=6000"}) output_of({"tune", scale(), "--problem", problem, "--trials", "2"});
  expect_failure(2, {"forget"}, {"name a kernel", "--all"});
  expect_failure(2, {"forget", "scale", "--all"}, {"--all means all kernels"});
  expect_failure(2, {"forget", "scale", "--session", "1"}, {"goes with nothing else"});
  expect_failure(2, {"forget", "skale"}, {"did you mean `scale`?"});
  EXPECT_EQ(output_of({"forget", "scale", "--dry-run"}), "would forget 2 records and 2 sessions with 4 trials\n");
  EXPECT_THAT(output_of({"list"}), HasSubstr("2 records, 4 trials in 2 sessions"));
  EXPECT_EQ(output_of({"forget", "scale", "--device", "cuda"}), "there is nothing to forget\n");
  EXPECT_EQ(output_of({"forget", "scale", "--problem", "n=6000", "--records"}), "forgot 1 record\n");
  EXPECT_EQ(output_of({"forget", "--session", "1"}), "forgot 0 records and 1 session with 2 trials\n");
  expect_failure(1, {"forget", "--session", "1"}, {"no session 1"});
  const Json gone = only({"forget", "--all"}, "forgotten");
  EXPECT_EQ(gone.at("records"), 1);
  EXPECT_EQ(gone.at("sessions"), 1);
  EXPECT_THAT(output_of({"list"}), Not(HasSubstr("scale")));
  fs::remove(database());
  expect_failure(1, {"forget", "--all"}, {"there is no database"});
  EXPECT_FALSE(fs::exists(database()));
}

TEST_F(WisdomCommands, APinServesAndNoSearchReplacesIt) {
  const std::vector<std::string> pin = {"pin", scale(), "--problem", "n=5000", "--configuration", "BLOCK=32 ITEMS=2"};
  EXPECT_THAT(output_of(pin),
              AllOf(HasSubstr("scale n=5000 T=float on"), HasSubstr("is pinned"), HasSubstr("it was not measured")));
  const auto plan = [&] { return only({"plan", scale(), "--problem", "n=5000"}, "match"); };
  EXPECT_EQ(plan().at("rung"), "pinned");
  EXPECT_EQ(plan().at("configuration").at("BLOCK"), 32);
  EXPECT_EQ(plan().at("speedup"), nullptr);
  EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=5000"}), HasSubstr("speed-up       not known"));
  EXPECT_THAT(output_of({"show", "scale"}), AllOf(HasSubstr("was not measured; pinned"), HasSubstr("\n  pinned  ")));
  EXPECT_THAT(on_one_line(output_of({"tune", scale(), "--effort", "exhaustive"})),
              HasSubstr("applications use the pin BLOCK=32 ITEMS=2 in place of what was found"));
  EXPECT_EQ(plan().at("rung"), "pinned");
  EXPECT_EQ(plan().at("configuration").at("BLOCK"), 32);
  const Json other = only({"show", "scale"}, "other_record");
  EXPECT_EQ(other.at("origin"), "measured") << "the search's own record is kept";
  EXPECT_EQ(other.at("why_not"), "another record is pinned");
  EXPECT_THAT(output_of(pin), Not(HasSubstr("not measured"))) << "there is a trial by now";
  EXPECT_THAT(of_type(events_of({"show", "scale"}), "record"), SizeIs(1)) << "a key has one pin";
  EXPECT_EQ(output_of({"pin", "scale", "--remove", "--problem", "n=6000"}), "0 pins taken off\n");
  EXPECT_EQ(output_of({"pin", "scale", "--remove"}), "1 pin taken off\n");
  EXPECT_EQ(plan().at("rung"), "exact");
}

TEST_F(WisdomCommands, APinIsCheckedAsFarAsItsDeviceIsKnown) {
  const std::string kernel = scale();
  const auto pin = [&](const std::string& configuration, const std::string& device) {
    return std::vector<std::string>{"pin", kernel, "--configuration", configuration, "--device", device};
  };
  expect_failure(1, pin("BLOCK=128 ITEMS=2", "host"),
                 {"is not legal for n=5000", "BLOCK * ITEMS <= 128 does not hold"});
  expect_failure(2, pin("BLOCK=7", "host"), {"BLOCK"});
  expect_failure(2, {"pin", kernel, "--device", "host"}, {"--configuration"});
  output_of({"tune", kernel, "--trials", "1"});
  const std::string own = only({"sessions"}, "session").at("device_class");
  execute("INSERT INTO device(class_key) VALUES ('cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-')");
  EXPECT_THAT(output_of(pin("BLOCK=128", "NVIDIA H200")), HasSubstr("on NVIDIA H200 is pinned"));
  expect_failure(1, pin("BLOCK=128 ITEMS=2", "NVIDIA H200"), {"does not hold"});
  expect_failure(2, pin("BLOCK=128", "NVIDIA H2000"), {"does not know the device", "cuda|NVIDIA H200|cc90", own});
  output_of(pin("BLOCK=128", own));
  EXPECT_EQ(only({"pin", "scale", "--remove"}, "forgotten").at("records"), 2);
}

TEST_F(WisdomCommands, TheDatabaseIsVerifiedAndCompacted) {
  expect_failure(1, {"db", "verify"}, {"there is no database at " + database()});
  output_of({"tune", scale()});
  EXPECT_THAT(on_one_line(output_of({"db", "verify"})),
              AllOf(HasSubstr(": sound "), HasSubstr("5 trials"), HasSubstr("1 record")));
  output_of({"forget", "scale", "--sessions"});
  const Json compacted = only({"db", "compact"}, "compacted");
  EXPECT_LE(compacted.at("bytes"), compacted.at("bytes_before"));
  EXPECT_THAT(output_of({"db", "compact", database()}), HasSubstr(" bytes, "));
  execute("UPDATE record SET median_ns = 7");
  const CommandResult damaged = attune({"db", "verify"});
  EXPECT_EQ(damaged.code, 1);
  EXPECT_THAT(on_one_line(damaged.out),
              AllOf(HasSubstr(": damaged "), HasSubstr(" record         1 of 1 row: number 1 "),
                    HasSubstr("tune their problems again")));
  const CommandResult json = attune({"db", "verify", "--json"});
  EXPECT_EQ(events_in(json.out).at(0).at("sound"), false);
  expect_failure(2, {"db", "verfy"}, {"did you mean `verify`?"});
  expect_failure(2, {"db", "verify", database(), "--db", database()}, {"one of both"});
  const std::string other = write("other",
                                  "this is no database, and has more than a hundred bytes of text, so that "
                                  "nothing takes it for one that was cut short");
  EXPECT_EQ(attune({"db", "verify", other}).code, 1);
  expect_failure(1, {"db", "compact", folder_.string()}, {"is a directory, not a wisdom database"});
}

TEST_F(WisdomCommands, PlanSaysOfEachRecordWhyItServesOrNot) {
  for (const char* problem : {"n=5000", "n=6000", "n=60000"})
    output_of({"tune", scale(), "--problem", problem, "--effort", "exhaustive"});
  const std::string other = scale_with("  const long long first", "  const long long int first");
  output_of({"tune", other, "--trials", "1"});
  const std::string text = output_of({"plan", scale(), "--why"});
  EXPECT_THAT(text, AllOf(HasSubstr("4 records of scale"), ContainsRegex("\n    1  exact +BLOCK="),
                          HasSubstr("fall-back"), HasSubstr("  -  none "), HasSubstr("for another text of its code")));
  expect_to_fit(text);
  const auto reasons = of_type(events_of({"plan", scale(), "--why"}), "reason");
  EXPECT_GE(reasons.size(), 4u);
  EXPECT_EQ(reasons.at(0).at("place"), 1);
  EXPECT_EQ(reasons.at(0).at("rung"), "exact");
  EXPECT_EQ(reasons.at(0).at("record_problem").at("n"), 5000);
  EXPECT_EQ(reasons.back().at("place"), Json());
  EXPECT_THAT(of_type(events_of({"plan", scale()}), "reason"), IsEmpty());
  fs::remove(database());
  EXPECT_THAT(output_of({"plan", scale(), "--why"}), AllOf(HasSubstr("0 records of scale"), HasSubstr("fall-back")));
}

TEST_F(WisdomCommands, PlanNamesTheRuleThatARecordBreaksAndTheTrialThatFailed) {
  output_of({"tune", scale(), "--problem", "n=6000", "--effort", "exhaustive", "--parameters", "BLOCK=64 ITEMS=1"});
  output_of({"tune", scale(), "--effort", "exhaustive", "--parameters", "BLOCK=64 ITEMS=1"});
  output_of({"forget", "scale", "--problem", "n=5000", "--records"});
  execute("UPDATE trial SET verdict = 10 WHERE session_id = 2");
  const auto reasons = of_type(events_of({"plan", scale(), "--why"}), "reason");
  const auto near = std::ranges::find_if(reasons, [](const Json& one) { return one.at("rung") == "near problem"; });
  ASSERT_NE(near, reasons.end());
  EXPECT_THAT(near->at("why").get<std::string>(), HasSubstr("; it failed here: wrong_result"));
}

TEST_F(WisdomCommands, DriftIsSaidWhereIntervalsDoNotOverlap) {
  for (const char* problem : {"n=5000", "n=6000"}) output_of({"tune", scale(), "--problem", problem});
  const std::string before = (folder_ / "before.db").string();
  fs::copy_file(database(), before);
  const std::vector<std::string> command = {"drift", before, database()};
  EXPECT_EQ(output_of(command),
            "2 records in both: 0 differ by more than the intervals allow; --all shows the others\n");
  output_of({"forget", "scale", "--records", "--problem", "n=6000"});
  EXPECT_THAT(output_of(command), HasSubstr("1 record in both: 0 differ"));
  EXPECT_THAT(output_of(command), HasSubstr("1 only in A, 0 only in B"));
  EXPECT_THAT(output_of({"drift", before, database(), "--all"}), HasSubstr("within the intervals"));
  output_of({"pin", scale(), "--configuration", "BLOCK=32"});
  EXPECT_THAT(output_of({"drift", before, before, "--device", "cuda"}), HasSubstr("0 records in both"));
  const Json row = only({"drift", before, before, "scale", "--problem", "n=6000"}, "drift");
  EXPECT_EQ(row.at("drifts"), false);
  EXPECT_EQ(row.at("median_ns_change"), 0.0);
  EXPECT_EQ(row.at("a_driver"), row.at("b_driver"));
  EXPECT_THAT(lines_of(output_of({"drift", before, before, "--csv"})), SizeIs(3));
  expect_failure(1, {"drift", before, "nowhere.db"}, {"there is no database at nowhere.db"});
  expect_failure(2, {"drift", before}, {"missing"});
  expect_failure(2, {"drift", before, before, "skale"}, {"did you mean `scale`?"});
}

}  // namespace
}  // namespace attune::test
