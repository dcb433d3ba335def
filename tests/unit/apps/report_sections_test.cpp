// What a report says of a session: numbers, ties, intervals, what is left out, and two databases beside each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "apps/attune/report/comparison_sections.hpp"
#include "apps/attune/report/device_use.hpp"
#include "apps/attune/report/names.hpp"
#include "apps/attune/report/render.hpp"
#include "attune/error.hpp"
#include "measure/statistics.hpp"

namespace attune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Trial trial_of(std::int64_t tile, std::int64_t rows, double nanoseconds, std::int64_t made_ms) {
  Trial trial;
  trial.configuration = {{"TILE", Value(tile)}, {"ROWS", Value(rows)}};
  trial.made_ms = made_ms;
  if (nanoseconds > 0)
    trial.measurement = summarise({nanoseconds});
  else
    trial.verdict = Verdict::compile_error, trial.detail = "/home/somebody/work/kernel.cu(3): error: no such name";
  trial.usage.registers = 72;
  trial.usage.shared_static = 32768;
  LaunchShape shape;
  shape.grid = {4096, 1, 1};
  shape.block = {256, 1, 1};
  trial.shapes = {shape};
  return trial;
}

FinalistResult finalist_of(const Trial& trial, std::vector<double> samples) {
  FinalistResult finalist;
  finalist.configuration = trial.configuration;
  finalist.measurement = summarise(std::move(samples));
  return finalist;
}

// A session on an H100 of four trials, one of which failed, with a record and three finalists.
ReportData session_data() {
  ReportData data;
  data.kernel = data.called = "tiles";
  data.session.key.record.kernel = "tiles";
  DeviceInfo device = device_limits("sm_90");
  data.session.key.record.device_class = device.class_key();
  data.session.state = SessionState::finished;
  data.session.started_ms = 1700000000000;
  data.trials = {trial_of(16, 1, 4000, 1), trial_of(32, 1, 2000, 2), trial_of(64, 1, 0, 3), trial_of(64, 2, 1000, 4)};
  data.seconds = {1, 2, 3, 4};
  data.limits = multiprocessor_limits(device);
  data.device = std::move(device);
  data.default_configuration = data.trials[0].configuration;
  Record record;
  record.key = data.session.key.record;
  record.configuration = data.trials[3].configuration;
  record.device_name = "H100";
  record.median_ns = 1000;
  record.default_ns = 4000;
  record.speedup = 4, record.speedup_low = 3.9, record.speedup_high = 4.1;
  record.rounds = 8;
  data.record = record;
  data.records = {record};
  data.finalists = {finalist_of(data.trials[3], {1000, 1010, 990, 1000, 1005, 995, 1002, 998}),
                    finalist_of(data.trials[1], {1001, 1010, 991, 1001, 1004, 996, 1002, 999}),
                    finalist_of(data.trials[0], {4000, 4010})};
  return data;
}

std::string fact_of(const ReportSection& section, const std::string& name) {
  const auto found = std::ranges::find(section.facts, name, &ReportFact::name);
  return found == section.facts.end() ? "(none)" : found->text;
}

TEST(ReportSections, TellAVerdictWithItsInterval) {
  const ReportSection verdict = verdict_section(session_data());
  EXPECT_EQ(verdict.headline, "4.00x [3.90, 4.10] over the default");
  EXPECT_EQ(fact_of(verdict, "use"), "TILE=64 ROWS=2");
  EXPECT_EQ(fact_of(verdict, "time"), "1.000 us, the default 4.000 us");
  EXPECT_EQ(fact_of(verdict, "tied with"), "TILE=32 ROWS=1");
  EXPECT_EQ(fact_of(verdict, "how sure"), "settled: 8 rounds of the final stage count");
  EXPECT_THAT(fact_of(verdict, "limited by"), HasSubstr("38 % (3 blocks of 256 threads), limited by registers"));
}

TEST(ReportSections, SayWhatIsNotKnown) {
  ReportData data = session_data();
  data.record.reset();
  data.finalists.clear();
  EXPECT_EQ(verdict_section(data).headline, "no final comparison yet: the gain is not known");
  EXPECT_EQ(fact_of(verdict_section(data), "tied with"), "(none)");
  EXPECT_THAT(finalists_section(data).table, IsEmpty());
  std::erase_if(data.trials, [](const Trial& trial) { return trial.verdict == Verdict::ok; });
  data.seconds.resize(data.trials.size());
  EXPECT_EQ(fact_of(verdict_section(data), "use"), "nothing: no configuration survived");
  EXPECT_THAT(sections_of(data), Not(IsEmpty()));
}

TEST(ReportSections, HaveNoOccupancyOfSeveralLaunches) {
  ReportData data = session_data();
  ASSERT_TRUE(occupancy_of(data, data.trials[0]));
  data.trials[3].shapes.push_back(data.trials[3].shapes.front());
  EXPECT_FALSE(occupancy_of(data, data.trials[3]));
  EXPECT_THAT(occupancy_section(data).charts, IsEmpty());
}

TEST(ReportSections, GiveIntervalsToFinalistsOfTheSameRoundsAlone) {
  const ReportData data = session_data();
  const auto same = ratio_to(data.finalists[1], data.finalists[0]);
  ASSERT_TRUE(same);
  EXPECT_TRUE(is_tied(*same));
  EXPECT_LE(same->low, same->ratio);
  EXPECT_FALSE(ratio_to(data.finalists[2], data.finalists[0])) << "left early";
  EXPECT_FALSE(is_tied({1.01, 1.005, 1.02}));
  EXPECT_TRUE(is_tied({1.002, 1.001, 1.003}));
  const std::vector<Cells> table = finalists_section(data).table;
  EXPECT_THAT(table.at(2).at(2), HasSubstr("tied"));
  EXPECT_EQ(table.at(3).at(2), "left early");
}

TEST(ReportSections, NameWhatToRunNext) {
  ReportData data = session_data();
  data.session.state = SessionState::partial;
  data.session.key.strategy = "random";
  data.record->settled = false;
  EXPECT_THAT(next_section(data).commands,
              ElementsAre("attune tune FILE.cu --strategy random", "attune tune FILE.cu --effort patient --fresh",
                          "attune calibrate", "attune explain FILE.cu"));
}

TEST(ReportSections, RankPairsOfValues) {
  ReportData data = session_data();
  data.importance = Importance{.parameters = {{.parameter = "TILE", .share = 0.7, .counts = {}},
                                              {.parameter = "ROWS", .share = 0.2, .counts = {}}}};
  const std::vector<Chart> charts = rank_charts(data);
  ASSERT_EQ(charts.size(), 1u);
  const Json& rows = charts[0].spec.at("data").at("values");
  ASSERT_EQ(rows.size(), 3u) << "of what survived";
  for (const Json& row : rows) EXPECT_EQ(row.at("rank"), row.at("x") == 16 ? 100 : row.at("x") == 32 ? 50 : 0) << row;
}

TEST(ReportSections, ShowTheBestSoFar) {
  const Chart chart = progress_chart(session_data(), true);
  std::vector<double> seconds;
  for (const Json& row : chart.spec.at("data").at("values")) seconds.push_back(row.at("s"));
  EXPECT_THAT(seconds, ElementsAre(1, 2, 4));
}

TEST(ReportSections, AreTheSameAsTextAndAsPage) {
  const std::vector<ReportSection> sections = sections_of(session_data());
  const std::string text = text_of("tiles", sections);
  const std::string page = page_html(page_of("tiles", sections, {}), std::nullopt);
  for (const char* const part : {"4.00x [3.90, 4.10] over the default", "compile_error", "attune explain FILE.cu"}) {
    EXPECT_THAT(text, HasSubstr(part));
    EXPECT_THAT(page, HasSubstr(part));
  }
}

TEST(ReportNames, LeaveLogs) {
  const auto shown = [](const std::string& text) { return without_names(text, "node17"); };
  EXPECT_EQ(shown("/home/anna/kernel.cu(12): error in \"../lib/x.cuh\""), "kernel.cu(12): error in \"x.cuh\"");
  EXPECT_EQ(shown("g++ -I/home/anna/include --file=/home/anna/x.h file:///home/anna/y.h"),
            "g++ -Iinclude --file=x.h file://y.h");
  EXPECT_EQ(shown("users/anna/k.cu: cannot open /home/anna, says anna"), "k.cu: cannot open -, says -");
  EXPECT_EQ(shown("in \"/home/my user/x.cu\": 3"), "in \"x.cu\": 3");
  EXPECT_EQ(shown("on node17: node17x"), "on -: node17x");
}

TEST(ReportNames, LeaveWhatIsNoPath) {
  for (const char* const text :
       {"12 GB/s, a / b, // text, 1/2", "sum(a)/n", "/* half */ 3.0f /2", "square root", "a\n\tb"})
    EXPECT_EQ(without_names(text, "node17"), text);
}

TEST(ReportNames, MayBeLong) {
  std::string path;
  for (int i = 0; i < 100'000; ++i) path += "/x";
  EXPECT_EQ(without_names(path, ""), "x");
  EXPECT_EQ(without_names("/" + std::string(100'000, 'y'), "").size(), 100'001u);
}

TEST(ReportSections, UseTheRecordsConfigurationThoughAnotherSessionFoundIt) {
  ReportData data = session_data();
  data.record->configuration = {{"TILE", Value(std::int64_t{128})}, {"ROWS", Value(std::int64_t{4})}};
  EXPECT_EQ(fact_of(verdict_section(data), "use"), "TILE=128 ROWS=4");
  EXPECT_EQ(fact_of(verdict_section(data), "limited by"), "(none)");
  EXPECT_THAT(sections_of(data), Not(IsEmpty()));
}

TEST(ReportSections, TellReasonsOfOneVerdictApart) {
  ReportData data = session_data();
  data.trials.push_back(trial_of(8, 8, 0, 5));
  data.trials.back().detail = "error: quite another";
  data.seconds.push_back(5);
  const ReportSection rejected = rejected_section(data);
  EXPECT_EQ(rejected.table.size(), 3u);
  EXPECT_EQ(rejected.details.size(), 2u);
}

Record record_of(double q1, double median_ns, double q3, const char* kernel = "tiles") {
  Record record;
  record.key.kernel = kernel;
  record.device_name = "H100";
  record.q1_ns = q1, record.median_ns = median_ns, record.q3_ns = q3;
  return record;
}

TEST(ReportComparison, TellsADifferenceOnlyWhereQuartilesAreApart) {
  const auto verdict = [](const Record& a, const Record& b) {
    return compared_sections({"old", {a}}, {"new", {b}}).at(0).table.at(1).at(0);
  };
  EXPECT_THAT(verdict(record_of(90, 100, 110), record_of(111, 120, 130)), HasSubstr("1: old is faster: "));
  EXPECT_THAT(verdict(record_of(111, 120, 130), record_of(90, 100, 110)), HasSubstr("1: new is faster: "));
  EXPECT_THAT(verdict(record_of(90, 100, 112), record_of(111, 120, 130)), HasSubstr("1: no clear difference: "));
  EXPECT_THAT(verdict(record_of(0, 100, 0), record_of(111, 120, 130)), HasSubstr("1: not known: no quartiles: "));
}

TEST(ReportComparison, NamesWhatOneSideLacks) {
  const auto sections = compared_sections({"old", {record_of(1, 2, 3, "a")}}, {"new", {record_of(1, 2, 3, "b")}});
  ASSERT_EQ(sections.size(), 1u);
  EXPECT_THAT(sections[0].table.at(1).front(), HasSubstr("a "));
  EXPECT_EQ(sections[0].table.at(1).back(), "old");
  EXPECT_EQ(sections[0].table.at(2).back(), "new");
}

}  // namespace
}  // namespace attune::cli
