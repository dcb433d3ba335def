#include "db/wisdom_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "db/field_values.hpp"
#include "db/scratch.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::sample_key;
using test::sample_record;
using testing::AllOf;
using testing::HasSubstr;

// Damage as a careless hand does it: past the store.
void execute(const fs::path& file, const char* statements) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  database.exec(statements);
}

TEST(WisdomStore, IsCreatedPrivateWithItsDirectory) {
  const test::Scratch scratch;
  const fs::path file = scratch / "share/attune/wisdom.db";
  const WisdomStore store(file);
  EXPECT_EQ(store.file(), file);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(file.parent_path()).permissions(), fs::perms(0700));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1) << "something temporary was left behind";
}

TEST(WisdomStore, OpensUnderNamesThatLookOdd) {
  const test::Scratch scratch;
  for (const std::string& name :
       {std::string("a b/wis dom.db"), std::string("é/ü.db"), std::string("file:x?mode=memory"), std::string("100%.db"),
        std::string(200, 'd') + "/" + std::string(100, 'f')}) {
    WisdomStore(scratch / name).put_record(sample_record());
    EXPECT_TRUE(fs::is_regular_file(scratch / name)) << name;
    EXPECT_EQ(WisdomStore(scratch / name).records().size(), 1u) << name;
  }
}

TEST(WisdomStore, OpensARelativeName) {
  const test::Scratch scratch;
  fs::current_path(scratch.path());
  WisdomStore("file:w.db").put_record(sample_record());
  EXPECT_TRUE(fs::is_regular_file(scratch / "file:w.db"));
  fs::current_path("/");
}

TEST(WisdomStore, LivesInMemoryToo) {
  WisdomStore store(":memory:");
  EXPECT_TRUE(store.put_record(sample_record()));
  EXPECT_EQ(store.records().size(), 1u);
  EXPECT_FALSE(fs::exists(":memory:"));
}

TEST(WisdomStore, MayBeMoved) {
  WisdomStore first(":memory:");
  first.put_record(sample_record());
  WisdomStore second = std::move(first);
  EXPECT_EQ(second.records().size(), 1u);
  first = WisdomStore(":memory:");
  EXPECT_EQ(first.records().size(), 0u);
}

TEST(WisdomRecords, ReadBackExactlyAfterReopening) {
  const test::Scratch scratch;
  Record record = sample_record();
  record.key.problem = Problem{{"n", std::int64_t{1} << 62}, {"flag", true}, {"scale", 2.0}, {"T", "ns::half"}};
  record.partial = record.unstable = true;
  WisdomStore(scratch / "w.db").put_record(record);
  WisdomStore store(scratch / "w.db", WisdomStore::Access::read_only);
  const auto found = store.find_record(record.key);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(test::texts_of(*found), test::texts_of(record));
  EXPECT_EQ(store.damaged_rows(), 0);
}

TEST(WisdomRecords, AreFoundByEveryPartOfTheKey) {
  WisdomStore store(":memory:");
  store.put_record(sample_record());
  EXPECT_TRUE(store.find_record(sample_key()).has_value());
  const std::function<void(RecordKey&)> changes[] = {
      [](RecordKey& key) { key.kernel = "other"; },       [](RecordKey& key) { key.code = "other"; },
      [](RecordKey& key) { key.contract = "other"; },     [](RecordKey& key) { key.device_class = "other"; },
      [](RecordKey& key) { key.problem.set("n", 1025); }, [](RecordKey& key) { key.problem.set("n", "1024"); },
      [](RecordKey& key) { key.regime = "warm"; },        [](RecordKey& key) { key.objective = "energy"; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    RecordKey key = sample_key();
    changes[i](key);
    EXPECT_FALSE(store.find_record(key).has_value()) << "change " << i;
    Record other = sample_record();
    other.key = key;
    EXPECT_TRUE(store.put_record(other)) << "change " << i;
  }
  EXPECT_EQ(store.records().size(), 1 + std::size(changes));
}

TEST(WisdomRecords, AreReplacedByEqualOrMoreEffortOnly) {
  struct Case {
    Effort old_effort;
    bool old_partial;
    Effort new_effort;
    bool new_partial;
    bool stored;
  };
  const Case cases[] = {
      {Effort::measure, false, Effort::measure, false, true},
      {Effort::measure, false, Effort::patient, false, true},
      {Effort::measure, false, Effort::estimate, false, false},
      {Effort::exhaustive, false, Effort::patient, false, false},
      {Effort::measure, false, Effort::measure, true, false},
      {Effort::measure, true, Effort::measure, true, true},
      {Effort::measure, true, Effort::measure, false, true},
      {Effort::measure, true, Effort::estimate, false, false},
      {Effort::measure, false, Effort::exhaustive, true, true},
      {Effort::exhaustive, true, Effort::measure, false, false},
  };
  for (const Case& c : cases) {
    WisdomStore store(":memory:");
    Record before = sample_record(), after = sample_record();
    before.effort = c.old_effort, before.partial = c.old_partial;
    after.effort = c.new_effort, after.partial = c.new_partial;
    store.put_record(before);
    EXPECT_EQ(store.put_record(after), c.stored);
    EXPECT_EQ(store.find_record(before.key)->uuid, c.stored ? after.uuid : before.uuid);
    EXPECT_TRUE(store.put_record(after, store.find_record(before.key)->uuid)) << "what was beaten gives way";
    EXPECT_EQ(store.find_record(before.key)->uuid, after.uuid);
    EXPECT_EQ(store.records().size(), 1u);
  }
}

TEST(WisdomRecords, MayBeStoredTwice) {
  WisdomStore store(":memory:");
  const Record record = sample_record();
  EXPECT_TRUE(store.put_record(record));
  EXPECT_TRUE(store.put_record(record));
  EXPECT_EQ(store.records().size(), 1u);
  EXPECT_EQ(store.history(record.key).size(), 1u);
}

TEST(WisdomRecords, GetAnIdentifierWhenTheyBringNone) {
  WisdomStore store(":memory:");
  Record record = sample_record();
  record.uuid.clear();
  store.put_record(record);
  EXPECT_EQ(store.find_record(record.key)->uuid.size(), 36u);
}

TEST(WisdomRecords, AreRefusedWithTimesThatAreNoNumbers) {
  WisdomStore store(":memory:");
  Record record = sample_record();
  record.median_ns = std::nan("");
  EXPECT_THAT(test::error_of([&] { store.put_record(record); }), AllOf(HasSubstr("reduce"), HasSubstr("n=1024")));
  EXPECT_TRUE(store.records().empty());
}

TEST(WisdomRecords, AreListedByKernelDeviceAndProblem) {
  WisdomStore store(":memory:");
  for (const char* kernel : {"b", "a"})
    for (const char* device : {"y", "x"})
      for (const int n : {2, 1}) {
        Record record = sample_record(n);
        record.key.kernel = kernel;
        record.key.device_class = device;
        store.put_record(record);
      }
  std::vector<std::string> order;
  for (const Record& record : store.records())
    order.push_back(record.key.kernel + record.key.device_class + record.key.problem.at("n").text());
  EXPECT_THAT(order, testing::ElementsAre("ax1", "ax2", "ay1", "ay2", "bx1", "bx2", "by1", "by2"));
  EXPECT_EQ(store.records("a").size(), 4u);
  EXPECT_TRUE(store.records("c").empty());
  EXPECT_TRUE(store.records("a' OR '1'='1").empty());
}

TEST(WisdomRecords, AreCandidatesWithTheSameCodeContractRegimeAndObjective) {
  WisdomStore store(":memory:");
  const auto put = [&](auto change) {
    Record record = sample_record();
    change(record.key);
    store.put_record(record);
  };
  put([](RecordKey&) {});
  put([](RecordKey& key) { key.device_class = "another"; });
  put([](RecordKey& key) { key.problem.set("n", 5); });
  put([](RecordKey& key) { key.kernel = "a_copy"; });
  put([](RecordKey& key) { key.code = "other"; });
  put([](RecordKey& key) { key.contract = "other"; });
  put([](RecordKey& key) { key.regime = "warm"; });
  put([](RecordKey& key) { key.objective = "energy"; });
  const auto found = store.candidates(sample_key());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found.back().key.kernel, "a_copy") << "the kernel's own records come first";
}

TEST(WisdomRecords, ReplaceADamagedOneWhateverItsEffort) {
  const test::Scratch scratch;
  Record strong = sample_record();
  strong.effort = Effort::exhaustive;
  WisdomStore(scratch / "w.db").put_record(strong);
  execute(scratch / "w.db", "UPDATE record SET median_ns = 1");
  WisdomStore store(scratch / "w.db");
  Record weak = sample_record();
  weak.effort = Effort::estimate;
  EXPECT_TRUE(store.put_record(weak));
  EXPECT_EQ(store.find_record(weak.key)->uuid, weak.uuid);
}

// The uuids of all records of a key, newest first.
std::vector<std::string> uuids(const std::vector<Record>& records) {
  std::vector<std::string> found;
  for (const Record& record : records) found.push_back(record.uuid);
  return found;
}

Record record_of(const char* uuid, Effort effort, std::int64_t made_ms, bool partial = false) {
  Record record = sample_record();
  record.uuid = uuid, record.effort = effort, record.made_ms = made_ms, record.partial = partial;
  return record;
}

TEST(WisdomRecords, AreKeptAsHistoryNewestFirst) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  EXPECT_TRUE(store.put_record(record_of("first", Effort::measure, 1)));
  EXPECT_TRUE(store.put_record(record_of("third", Effort::patient, 3)));
  EXPECT_FALSE(store.put_record(record_of("second", Effort::estimate, 2)));
  store.put_record(sample_record(7));
  EXPECT_THAT(uuids(store.history(sample_key())), testing::ElementsAre("third", "second", "first"));
  EXPECT_EQ(store.find_record(sample_key())->uuid, "third");
  EXPECT_EQ(store.candidates(sample_key()).size(), 2u) << "look-ups know current records only";
  EXPECT_EQ(store.records().size(), 2u);
  EXPECT_TRUE(store.put_record(record_of("last", Effort::estimate, 4), "third"));
  EXPECT_EQ(store.find_record(sample_key())->uuid, "last");
  EXPECT_EQ(store.history(sample_key()).size(), 4u);
}

TEST(WisdomRecords, HaveOneCurrentOneOfEachKey) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  store.put_record(record_of("a", Effort::measure, 1));
  store.put_record(record_of("b", Effort::measure, 2));
  EXPECT_ANY_THROW(execute(scratch / "w.db", "UPDATE record SET current = 1"));
  execute(scratch / "w.db", "UPDATE record SET current = 0");
  execute(scratch / "w.db", "UPDATE record SET current = 1 WHERE uuid = 'a'");
  EXPECT_EQ(store.find_record(sample_key())->uuid, "a") << "what was chosen counts, not what is newest";
  EXPECT_EQ(store.records().at(0).uuid, "a");
}

// One after the other is damaged: the strongest of the rest serves, whichever look-up asks.
TEST(WisdomRecords, ServeWhereTheCurrentOneIsDamagedTheStrongestFirst) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  for (const Record& record :
       {record_of("old", Effort::measure, 1), record_of("newer", Effort::measure, 2),
        record_of("partial", Effort::patient, 4, true), record_of("whole", Effort::patient, 3),
        record_of("weak", Effort::estimate, 9), record_of("best", Effort::exhaustive, 5)})
    store.put_record(record);
  const std::int64_t none = store.damaged_rows();
  int damaged = 0;
  for (const char* serves : {"best", "whole", "partial", "newer", "old", "weak"}) {
    EXPECT_EQ(store.find_record(sample_key())->uuid, serves);
    ASSERT_EQ(store.records().size(), 1u);
    EXPECT_EQ(store.records()[0].uuid, serves);
    EXPECT_EQ(store.candidates(sample_key()).at(0).uuid, serves);
    EXPECT_EQ(store.damaged_rows(), none + damaged++);
    execute(scratch / "w.db", ("UPDATE record SET driver = 'x' WHERE uuid = '" + std::string(serves) + "'").c_str());
  }
  EXPECT_FALSE(store.find_record(sample_key()).has_value());
  EXPECT_TRUE(store.records().empty());
}

TEST(WisdomRecords, HaveToReplaceTheOneThatServesForADamagedOne) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  store.put_record(record_of("sound", Effort::patient, 1));
  store.put_record(record_of("damaged", Effort::exhaustive, 2));
  execute(scratch / "w.db", "UPDATE record SET median_ns = 1 WHERE uuid = 'damaged'");
  EXPECT_FALSE(store.put_record(record_of("weak", Effort::measure, 3)));
  EXPECT_EQ(store.find_record(sample_key())->uuid, "sound");
  EXPECT_TRUE(store.put_record(record_of("equal", Effort::patient, 4)));
  EXPECT_EQ(store.find_record(sample_key())->uuid, "equal");
}

TEST(WisdomRecords, SurviveAByteFlippedOnTheDiskOnlyIfItIsNotTheirs) {
  const test::Scratch scratch;
  Record record = sample_record(1);
  record.driver = "UNMISTAKABLE DRIVER";
  WisdomStore(scratch / "w.db").put_record(record);
  WisdomStore(scratch / "w.db").put_record(sample_record(2));
  std::string bytes = test::content_of(scratch / "w.db");
  const std::size_t place = bytes.find("UNMISTAKABLE");
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  test::write_file(scratch / "w.db", bytes);
  WisdomStore store(scratch / "w.db");
  ASSERT_EQ(store.records().size(), 1u);
  EXPECT_EQ(store.records()[0].key.problem.at("n"), Value(2));
  EXPECT_EQ(store.damaged_rows(), 1);
}

TEST(WisdomFinalists, StayWithTheirRecordInTheirOrder) {
  const test::Scratch scratch;
  const Record first = sample_record();
  const std::vector<FinalistResult> given{test::sample_finalist(128), test::sample_finalist(64)};
  WisdomStore(scratch / "w.db").put_record(first, {}, given);
  WisdomStore store(scratch / "w.db");
  ASSERT_EQ(store.finalists(first.uuid).size(), 2u);
  EXPECT_EQ(store.finalists(first.uuid)[0].configuration, given[0].configuration);
  EXPECT_EQ(store.finalists(first.uuid)[1].configuration, given[1].configuration);
  EXPECT_TRUE(store.finalists("another").empty());
  const Record second = sample_record();
  store.put_record(second, {}, std::vector{test::sample_finalist(256)});
  EXPECT_EQ(store.finalists(first.uuid).size(), 2u) << "the record before is kept, with its finalists";
  EXPECT_EQ(store.finalists(second.uuid).size(), 1u);
  Record weak = sample_record();
  weak.effort = Effort::estimate;
  EXPECT_FALSE(store.put_record(weak, {}, given));
  EXPECT_EQ(store.finalists(weak.uuid).size(), 2u);
  EXPECT_EQ(store.finalists(second.uuid).size(), 1u);
  store.put_record(second, {}, given);
  EXPECT_EQ(store.finalists(second.uuid).size(), 2u) << "of a record that is stored again, those before go";
}

TEST(WisdomCeilings, AreOfADeviceClassAndReplaced) {
  const test::Scratch scratch;
  WisdomStore store(scratch / "w.db");
  const DeviceInfo device = test::sample_device();
  EXPECT_TRUE(store.ceilings(device.class_key()).empty());
  store.put_ceilings(device, std::vector<Ceiling>{{"read", 4.5e12, "B/s", "BLOCK=512", "580", "0.1.0", 1},
                                                  {"copy", 4e12, "B/s", "", "580", "0.1.0", 1}});
  store.put_ceilings(device, std::vector<Ceiling>{{"copy", 4.1e12, "B/s", "x", "581", "0.2.0", 2}});
  const auto found = WisdomStore(scratch / "w.db", WisdomStore::Access::read_only).ceilings(device.class_key());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "copy");
  EXPECT_EQ(found[0].value, 4.1e12);
  EXPECT_EQ(found[0].driver, "581");
  EXPECT_EQ(found[0].made_ms, 2);
  EXPECT_EQ(found[1].name, "read");
  EXPECT_EQ(found[1].detail, "BLOCK=512");
  execute(scratch / "w.db", "UPDATE ceiling SET value = 0 WHERE name = 'copy'");
  EXPECT_EQ(store.ceilings(device.class_key()).size(), 1u) << "no device reaches nothing";
  EXPECT_EQ(store.damaged_rows(), 1);
}

TEST(MakeUuid, GivesVersionFourAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(make_uuid());
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_THAT(*seen.begin(),
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
}

}  // namespace
}  // namespace attune
