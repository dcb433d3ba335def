// Records and ceilings of a WisdomStore.
#include <cmath>
#include <set>

#include "db/field_values.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::sample_key;
using test::sample_record;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(WisdomStore, IsCreatedPrivateWithItsDirectory) {
  const test::Scratch scratch;
  const fs::path file = scratch / "share/attune/wisdom.db";
  const WisdomStore store(file);
  EXPECT_EQ(store.file(), file);
  EXPECT_EQ(fs::status(file).permissions(), fs::perms(0600));
  EXPECT_EQ(fs::status(file.parent_path()).permissions(), fs::perms(0700));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1) << "something temporary was left behind";
}

TEST(WisdomStore, OpensUnderNamesThatLookOddAndInMemory) {
  const test::Scratch scratch;
  fs::current_path(scratch.path());
  for (const fs::path& name :
       {scratch / "a b/wis dom.db", scratch / "é/ü.db", scratch / "file:x?mode=memory", scratch / "100%.db",
        scratch / (std::string(200, 'd') + "/" + std::string(100, 'f')), fs::path("file:w.db")}) {
    WisdomStore(name).put_record(sample_record());
    EXPECT_TRUE(fs::is_regular_file(name)) << name;
    EXPECT_EQ(WisdomStore(name).records().size(), 1u) << name;
  }
  WisdomStore first(":memory:");
  EXPECT_TRUE(first.put_record(sample_record()));
  EXPECT_FALSE(fs::exists(":memory:"));
  WisdomStore second = std::move(first);
  EXPECT_EQ(second.records().size(), 1u) << "it was moved";
  first = WisdomStore(":memory:");
  EXPECT_EQ(first.records().size(), 0u);
  fs::current_path("/");
}

class WisdomRecords : public test::WisdomTest {
 protected:
  WisdomStore store_{file_};
};

TEST_F(WisdomRecords, AreFoundByEveryPartOfTheKey) {
  Record record = sample_record();
  store_.put_record(record);
  const auto found = WisdomStore(file_, WisdomStore::Access::read_only).find_record(sample_key());
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(test::texts_of(*found), test::texts_of(record));
  const std::function<void(RecordKey&)> changes[] = {
      [](RecordKey& key) { key.kernel = "other"; },       [](RecordKey& key) { key.code = "other"; },
      [](RecordKey& key) { key.contract = "other"; },     [](RecordKey& key) { key.device_class = "other"; },
      [](RecordKey& key) { key.problem.set("n", 1025); }, [](RecordKey& key) { key.problem.set("n", "1024"); },
      [](RecordKey& key) { key.regime = "warm"; },        [](RecordKey& key) { key.objective = "energy"; },
  };
  for (std::size_t i = 0; i < std::size(changes); ++i) {
    record = sample_record();
    changes[i](record.key);
    EXPECT_FALSE(store_.find_record(record.key).has_value()) << "change " << i;
    EXPECT_TRUE(store_.put_record(record)) << "change " << i;
  }
  EXPECT_EQ(store_.records().size(), 1 + std::size(changes));
  // Another device class, problem, regime or name may still tell something; the kernel's own come first.
  const auto candidates = store_.candidates(sample_key());
  ASSERT_EQ(candidates.size(), 6u);
  EXPECT_EQ(candidates.back().key.kernel, "other");
}

TEST_F(WisdomRecords, AreReplacedByEqualOrMoreEffortOnly) {
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
    after.effort = c.new_effort, after.partial = c.new_partial, after.made_ms = before.made_ms + 1;
    store.put_record(before);
    EXPECT_EQ(store.put_record(after), c.stored);
    EXPECT_EQ(store.find_record(before.key)->uuid, c.stored ? after.uuid : before.uuid);
    EXPECT_TRUE(store.put_record(after, store.find_record(before.key)->uuid)) << "what was beaten gives way";
    EXPECT_EQ(store.find_record(before.key)->uuid, after.uuid);
    EXPECT_EQ(store.records().size(), 1u);
    EXPECT_EQ(store.history(before.key).size(), 2u) << "one that is stored twice is there once";
  }
}

TEST_F(WisdomRecords, GetAnIdentifierWhenTheyBringNone) {
  Record record = sample_record();
  record.uuid.clear();
  store_.put_record(record);
  const std::string given = store_.find_record(record.key)->uuid;
  EXPECT_THAT(given, testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  std::set<std::string> seen = {given};
  for (int i = 0; i < 1000; ++i) seen.insert(make_uuid());
  EXPECT_EQ(seen.size(), 1001u);
}

TEST_F(WisdomRecords, AreRefusedWithTimesThatAreNoNumbers) {
  Record record = sample_record();
  record.median_ns = std::nan("");
  EXPECT_THAT(test::error_of([&] { store_.put_record(record); }), AllOf(HasSubstr("reduce"), HasSubstr("n=1024")));
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(WisdomRecords, AreListedByKernelDeviceAndProblem) {
  for (const char* kernel : {"b", "a"})
    for (const char* device : {"y", "x"})
      for (const int n : {2, 1}) {
        Record record = sample_record(n);
        record.key.kernel = kernel;
        record.key.device_class = device;
        store_.put_record(record);
      }
  std::vector<std::string> order;
  for (const Record& record : store_.records())
    order.push_back(record.key.kernel + record.key.device_class + record.key.problem.at("n").text());
  EXPECT_THAT(order, ElementsAre("ax1", "ax2", "ay1", "ay2", "bx1", "bx2", "by1", "by2"));
  EXPECT_EQ(store_.records("a").size(), 4u);
  EXPECT_TRUE(store_.records("c").empty());
  EXPECT_TRUE(store_.records("a' OR '1'='1").empty());
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

TEST_F(WisdomRecords, AreKeptAsHistoryNewestFirst) {
  EXPECT_TRUE(store_.put_record(record_of("first", Effort::measure, 1)));
  EXPECT_TRUE(store_.put_record(record_of("third", Effort::patient, 3)));
  EXPECT_FALSE(store_.put_record(record_of("second", Effort::estimate, 2)));
  store_.put_record(sample_record(7));
  EXPECT_THAT(uuids(store_.history(sample_key())), ElementsAre("third", "second", "first"));
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "third");
  EXPECT_EQ(store_.candidates(sample_key()).size(), 2u) << "look-ups know records that serve only";
  EXPECT_EQ(store_.records().size(), 2u);
  EXPECT_TRUE(store_.put_record(record_of("last", Effort::estimate, 4), "third"));
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "last");
  EXPECT_EQ(store_.history(sample_key()).size(), 4u);
}

// Who won in the same rounds serves, whatever its effort. Who was not there is not beaten.
TEST_F(WisdomRecords, AreSupersededByTheWinnerOfTheSameRounds) {
  store_.put_record(record_of("patient", Effort::patient, 1));
  store_.put_record(record_of("exhaustive", Effort::exhaustive, 2));
  EXPECT_FALSE(store_.put_record(record_of("lost", Effort::estimate, 3), "patient")) << "another serves";
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "exhaustive");
  EXPECT_TRUE(store_.put_record(record_of("winner", Effort::measure, 4), "exhaustive"));
  const auto history = store_.history(sample_key());
  EXPECT_THAT(uuids(history), ElementsAre("winner", "lost", "exhaustive", "patient"));
  for (const Record& record : history)
    EXPECT_EQ(record.superseded, record.uuid == "exhaustive" || record.uuid == "patient") << record.uuid;
  EXPECT_TRUE(store_.put_record(record_of("newer", Effort::patient, 5)));
  EXPECT_FALSE(store_.put_record(record_of("quick", Effort::estimate, 6)));
  EXPECT_EQ(store_.damaged_rows(), 0) << "hashes are made anew";
}

// One after the other is damaged: the strongest of the rest serves, whichever look-up asks.
TEST_F(WisdomRecords, ServeWhereAStrongerOneIsDamaged) {
  for (const Record& record : {record_of("old", Effort::measure, 1), record_of("newer", Effort::measure, 2),
                               record_of("partial", Effort::patient, 4, true), record_of("whole", Effort::patient, 3),
                               record_of("weak", Effort::estimate, 9), record_of("best", Effort::exhaustive, 5)})
    store_.put_record(record);
  const std::int64_t none = store_.damaged_rows();
  int damaged = 0;
  for (const char* serves : {"best", "whole", "partial", "newer", "old", "weak"}) {
    EXPECT_EQ(store_.find_record(sample_key())->uuid, serves);
    ASSERT_EQ(store_.records().size(), 1u);
    EXPECT_EQ(store_.records()[0].uuid, serves);
    EXPECT_EQ(store_.candidates(sample_key()).at(0).uuid, serves);
    EXPECT_EQ(store_.damaged_rows(), none + damaged++);
    execute("UPDATE record SET driver = 'x' WHERE uuid = '" + std::string(serves) + "'");
  }
  EXPECT_FALSE(store_.find_record(sample_key()).has_value());
  EXPECT_TRUE(store_.records().empty());
}

TEST_F(WisdomRecords, HaveToReplaceTheOneThatServesForADamagedOne) {
  store_.put_record(record_of("sound", Effort::patient, 1));
  store_.put_record(record_of("damaged", Effort::exhaustive, 2));
  execute("UPDATE record SET median_ns = 1 WHERE uuid = 'damaged'");
  EXPECT_FALSE(store_.put_record(record_of("weak", Effort::measure, 3)));
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "sound");
  EXPECT_TRUE(store_.put_record(record_of("equal", Effort::patient, 4)));
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "equal");
  execute("UPDATE record SET median_ns = 1");
  EXPECT_TRUE(store_.put_record(record_of("any", Effort::estimate, 5)));
  EXPECT_EQ(store_.find_record(sample_key())->uuid, "any") << "where none is sound";
}

TEST_F(WisdomRecords, SurviveAByteFlippedOnTheDiskOnlyIfItIsNotTheirs) {
  Record record = sample_record(1);
  record.driver = "UNMISTAKABLE DRIVER";
  store_.put_record(record);
  store_.put_record(sample_record(2));
  std::string bytes = test::content_of(file_);
  const std::size_t place = bytes.find("UNMISTAKABLE");
  ASSERT_NE(place, std::string::npos);
  bytes[place] ^= 1;
  test::write_file(file_, bytes);
  WisdomStore store(file_);
  ASSERT_EQ(store.records().size(), 1u);
  EXPECT_EQ(store.records()[0].key.problem.at("n"), Value(2));
  EXPECT_EQ(store.damaged_rows(), 1);
}

TEST_F(WisdomRecords, KeepTheirFinalists) {
  test::RandomFields random(1);
  const std::vector given = {random.make<FinalistResult>(), random.make<FinalistResult>()};
  const Record first = sample_record(), second = sample_record();
  store_.put_record(first, {}, given);
  EXPECT_TRUE(store_.finalists("another").empty());
  store_.put_record(second, {}, std::vector{given[0]});
  EXPECT_EQ(store_.finalists(first.uuid).size(), 2u) << "the record before is kept, with its finalists";
  EXPECT_EQ(store_.finalists(second.uuid).size(), 1u);
  Record weak = sample_record();
  weak.effort = Effort::estimate;
  EXPECT_FALSE(store_.put_record(weak, {}, given));
  EXPECT_EQ(store_.finalists(weak.uuid).size(), 2u);
  EXPECT_EQ(store_.finalists(second.uuid).size(), 1u);
  store_.put_record(second, {}, given);
  EXPECT_EQ(store_.finalists(second.uuid).size(), 2u) << "of a record that is stored again, those before go";
}

TEST_F(WisdomRecords, OfCeilingsAreOfADeviceClassAndReplaced) {
  const DeviceInfo device = test::sample_device();
  EXPECT_TRUE(store_.ceilings(device.class_key()).empty());
  store_.put_ceilings(device, std::vector<Ceiling>{{"read", 4.5e12, "B/s", "BLOCK=512", "580", "0.1.0", 1},
                                                   {"copy", 4e12, "B/s", "", "580", "0.1.0", 1}});
  store_.put_ceilings(device, std::vector<Ceiling>{{"copy", 4.1e12, "B/s", "x", "581", "0.2.0", 2}});
  const auto found = WisdomStore(file_, WisdomStore::Access::read_only).ceilings(device.class_key());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "copy");
  EXPECT_EQ(found[0].value, 4.1e12);
  EXPECT_EQ(found[0].driver, "581");
  EXPECT_EQ(found[1].detail, "BLOCK=512");
  execute("UPDATE ceiling SET value = 0 WHERE name = 'copy'");
  EXPECT_EQ(store_.ceilings(device.class_key()).size(), 1u) << "no device reaches nothing";
  EXPECT_EQ(store_.damaged_rows(), 1);
}

}  // namespace
}  // namespace attune
