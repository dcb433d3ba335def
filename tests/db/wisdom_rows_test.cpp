// Rows of every stored type: random values over the lists of fields are read as they were written.
#include "db/field_values.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::RandomFields;
using test::sample_device;
using test::sample_record;
using test::texts_of;

constexpr int rounds = 200;

using WisdomRows = test::WisdomTest;

template <typename T>
std::vector<test::FieldTexts> texts_of_all(const std::vector<T>& values) {
  std::vector<test::FieldTexts> texts;
  for (const T& value : values) texts.push_back(texts_of(value));
  return texts;
}

TEST_F(WisdomRows, OfRecordsAndTheirFinalistsReadBackExactly) {
  RandomFields random(1);
  WisdomStore store(":memory:");
  for (int round = 0; round < rounds; ++round) {
    Record record = random.make<Record>();
    record.uuid = make_uuid();
    const std::vector finalists = {random.make<FinalistResult>(), random.make<FinalistResult>()};
    ASSERT_TRUE(store.put_record(record, {}, finalists));
    const std::vector<Record> found = store.history(record.key);
    ASSERT_EQ(found.size(), 1u) << "round " << round;
    ASSERT_EQ(texts_of(found.front()), texts_of(record));
    ASSERT_EQ(texts_of_all(store.finalists(record.uuid)), texts_of_all(finalists));
  }
  EXPECT_EQ(store.records().size(), std::size_t{rounds});
  EXPECT_EQ(store.damaged_rows(), 0);
}

TEST_F(WisdomRows, OfSessionsAndTheirTrialsReadBackExactlyInTheOrderTried) {
  RandomFields random(2);
  WisdomStore store(":memory:");
  for (int round = 0; round < rounds; ++round) {
    SessionRow session = random.make<SessionRow>();
    session.uuid = std::to_string(round);
    const auto id = store.begin_session(session, sample_device());
    const std::vector trials = {random.make<Trial>(), random.make<Trial>(), random.make<Trial>()};
    store.add_trials(id, trials);
    const auto found = store.find_session(session.key);
    ASSERT_TRUE(found.has_value()) << "round " << round;
    ASSERT_EQ(texts_of(*found), texts_of(session));
    EXPECT_EQ(found->id, id);
    EXPECT_EQ(found->trials, 3);
    ASSERT_EQ(texts_of_all(store.trials(id)), texts_of_all(trials));
  }
  EXPECT_EQ(store.damaged_rows(), 0);
}

TEST_F(WisdomRows, OfCeilingsReadBackExactlyByName) {
  RandomFields random(3);
  WisdomStore store(":memory:");
  std::map<std::string, Ceiling> ceilings;
  for (int round = 0; round < rounds; ++round) {
    Ceiling ceiling = random.make<Ceiling>();
    ceiling.name = std::to_string(round);
    ceiling.value += 1;
    ceilings[ceiling.name] = ceiling;
    store.put_ceilings(sample_device(), std::vector{ceiling});
  }
  std::vector<Ceiling> by_name;
  for (const auto& [name, ceiling] : ceilings) by_name.push_back(ceiling);
  EXPECT_EQ(texts_of_all(store.ceilings(sample_device().class_key())), texts_of_all(by_name));
}

TEST_F(WisdomRows, HaveAColumnForEveryFieldAndAFieldForEveryColumn) {
  const WisdomStore store(file_);
  const SQLite::Database database(file_.string());
  const auto expect_columns = [&](const char* table, std::vector<std::string> fields,
                                  const std::vector<std::string>& others) {
    fields.insert(fields.end(), others.begin(), others.end());
    std::vector<std::string> columns;
    SQLite::Statement select(database, "SELECT name FROM pragma_table_info(?)");
    select.bind(1, table);
    while (select.executeStep()) columns.push_back(select.getColumn(0).getString());
    EXPECT_THAT(columns, testing::UnorderedElementsAreArray(fields)) << table;
  };
  const std::vector<std::string> key = {"device_id", "kernel_id", "problem_id"};
  expect_columns("record", test::columns_of<Record>(), {"id", key[0], key[1], key[2], "strength", "hash"});
  expect_columns("session", test::columns_of<SessionRow>(), {"id", key[0], key[1], key[2]});
  expect_columns("finalist", test::columns_of<FinalistResult>(), {"id", "record_id"});
  expect_columns("trial", test::columns_of<Trial>(), {"id", "session_id", "lifted_ms"});
  expect_columns("attempt", test::columns_of<Attempt>(), {"id", "session_id"});
  expect_columns("ceiling", test::columns_of<Ceiling>(), {"id", "device_id"});
}

TEST_F(WisdomRows, OfRecordsAreLeftOutAndCountedWhenAnyFieldWasChanged) {
  std::vector<std::string> damages = {
      "UPDATE record SET hash = '' WHERE id = 1", "UPDATE record SET configuration = 'nonsense' WHERE id = 1",
      "UPDATE record SET effort = 17 WHERE id = 1", "UPDATE problem SET bindings = '{\"n\":7}' WHERE id = 1"};
  std::vector<std::string> covered;
  const Record any;
  application_fields([&](const char* column, const auto&) { covered.push_back(column); }, any);
  for (const std::string& column : covered)
    damages.push_back("UPDATE record SET " + column + " = CASE typeof(" + column + ") WHEN 'text' THEN " + column +
                      " || 'x' ELSE " + column + " - 1 END WHERE id = 1");
  for (const std::string& damage : damages) {
    std::filesystem::remove(file_);
    for (const int n : {1, 2}) WisdomStore(file_).put_record(sample_record(n));
    execute(damage);
    WisdomStore store(file_);
    EXPECT_EQ(store.records().size(), 1u) << damage;
    EXPECT_LE(store.candidates(test::sample_key()).size(), 1u) << damage;
    EXPECT_FALSE(store.find_record(test::sample_key(1)).has_value()) << damage;
    EXPECT_TRUE(store.find_record(test::sample_key(2)).has_value()) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
  }
}

}  // namespace
}  // namespace attune
