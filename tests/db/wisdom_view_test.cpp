// The view `wisdom`: the one promise to applications that read the database with SQL. What is tested here stays.
#include <nlohmann/json.hpp>

#include "base/enum_texts.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

// All columns that are promised, in their order. Later formats may append to the view; they change none of these.
constexpr const char* select_all = R"sql(
  SELECT uuid, kernel, problem, device, device_name, regime, objective, configuration, time_ns,
    default_ns, speedup, speedup_low, speedup_high, value, default_value, effort, partial, narrowed, origin, unstable, self_checked, busy,
    trials, made_ms, code, contract, space, toolchain, driver, device_uuid, attune_version
  FROM wisdom
)sql";

// As an application does it: without the settings of attune.
std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file, const std::string& select) {
  SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
  SQLite::Statement statement(database, select);
  std::vector<std::vector<std::string>> rows;
  while (statement.executeStep()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (int i = 0; i < statement.getColumnCount(); ++i)
      row.push_back(statement.isColumnNull(i) ? "NULL" : statement.getColumn(i).getString());
  }
  return rows;
}

using WisdomView = test::WisdomTest;

TEST_F(WisdomView, ShowsEachRecordWithThePromisedColumns) {
  Record record = test::sample_record();
  record.uuid = "11111111-2222-4333-8444-555555555555";
  record.narrowed = true;
  WisdomStore(file_).put_record(record);
  EXPECT_THAT(
      rows_of(file_, select_all),
      ElementsAre(ElementsAre("11111111-2222-4333-8444-555555555555", "reduce", R"({"n":1024,"T":"float"})",
                              "cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-", "NVIDIA H200", "cold", "time",
                              R"({"BLOCK":256,"FAST":true,"SCALE":0.1,"ORDER":"Order::rows"})", "12345.6789012346",
                              "23456.7", "1.9", "1.9", "1.91", "0.125", "0.25", "measure", "0", "1", "measured", "0",
                              "1", "1", "321", "1760000000123", std::string(64, 'c'), std::string(64, 'd'),
                              std::string(64, 'e'), "NVRTC 13.0", "580.159 (CUDA 13.0)", "GPU-1234", "0.1.0")));
}

TEST_F(WisdomView, ShowsTheRecordsThatServe) {
  WisdomStore store(file_);
  const char* const select = "SELECT uuid, effort FROM wisdom ORDER BY problem";
  Record first = test::sample_record(1), second = test::sample_record(1), weak = test::sample_record(1);
  second.effort = Effort::exhaustive, weak.effort = Effort::estimate;
  for (const Record& record : {first, second, weak}) store.put_record(record);
  const Record other = test::sample_record(2);
  store.put_record(other);
  EXPECT_THAT(rows_of(file_, select),
              ElementsAre(ElementsAre(second.uuid, "exhaustive"), ElementsAre(other.uuid, "measure")));
}

// Ties of strength are decided as the store decides them.
TEST_F(WisdomView, ShowsWhatTheStoreGives) {
  WisdomStore store(file_);
  for (int i = 0; i < 60; ++i) {
    Record record = test::sample_record(1 + i % 5);
    record.effort = static_cast<Effort>(i % 4);
    record.partial = i % 3 == 0;
    record.made_ms = i % 7;
    store.put_record(record);
  }
  std::vector<std::string> shown, given;
  for (const auto& row : rows_of(file_, "SELECT uuid FROM wisdom ORDER BY problem")) shown.push_back(row.at(0));
  for (const Record& record : store.records()) given.push_back(record.uuid);
  EXPECT_EQ(shown, given);
  EXPECT_EQ(given.size(), 5u);
}

TEST_F(WisdomView, ShowsValuesAsTheyAre) {
  WisdomStore store(file_);
  Record record = test::sample_record();
  record.key.problem = Problem{};
  record.configuration = Configuration{{"big", std::int64_t{1} << 62},
                                       {"fine", 1.8999999999999999},
                                       {"third", 1.0 / 3},
                                       {"flag", false},
                                       {"quoted", "a\"b\\c, d]: {é"}};
  store.put_record(record);
  const auto rows = rows_of(file_, "SELECT configuration, problem FROM wisdom");
  EXPECT_THAT(
      rows, ElementsAre(ElementsAre(R"({"big":4611686018427387904,"fine":1.9,"third":0.3333333333333333,"flag":false,)"
                                    R"("quoted":"a\"b\\c, d]: {é"})",
                                    "{}")));
  EXPECT_EQ(nlohmann::json::parse(rows.at(0).at(0)).at("quoted"), "a\"b\\c, d]: {é");
}

// The names of verdicts come from their list.
TEST_F(WisdomView, OfTrialsNamesEachVerdict) {
  WisdomStore store(file_);
  const std::int64_t session = store.begin_session(test::sample_session(), test::sample_device());
  for (int i = 0; i < enum_size<Verdict>(); ++i) {
    Trial trial = test::sample_trial(i);
    trial.verdict = static_cast<Verdict>(i);
    trial.detail = "why " + std::to_string(i);
    trial.numerics.max_share = 0.25;
    store.add_trial(session, trial);
  }
  const auto rows =
      rows_of(file_, "SELECT verdict, detail, kernel, max_share, time_ns IS NULL FROM trials ORDER BY id");
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(enum_size<Verdict>()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_THAT(rows[i], ElementsAre(std::string(to_text(static_cast<Verdict>(i))), "why " + std::to_string(i),
                                     "reduce", "0.25", i == 0 ? "0" : "1"));
}

}  // namespace
}  // namespace attune
