#include "db/wisdom_store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "db/scratch.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;
using test::sample_key;
using test::sample_record;
using testing::AllOf;
using testing::HasSubstr;

void expect_equal(const Record& a, const Record& b) {
  EXPECT_EQ(a.uuid, b.uuid);
  EXPECT_EQ(a.key.kernel, b.key.kernel);
  EXPECT_EQ(a.key.code, b.key.code);
  EXPECT_EQ(a.key.contract, b.key.contract);
  EXPECT_EQ(a.key.device_class, b.key.device_class);
  EXPECT_EQ(a.key.problem, b.key.problem);
  EXPECT_EQ(a.key.regime, b.key.regime);
  EXPECT_EQ(a.key.objective, b.key.objective);
  EXPECT_EQ(a.device_name, b.device_name);
  EXPECT_EQ(a.compute_capability, b.compute_capability);
  EXPECT_EQ(a.multiprocessors, b.multiprocessors);
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.median_ns, b.median_ns);
  EXPECT_EQ(a.default_ns, b.default_ns);
  EXPECT_EQ(a.speedup, b.speedup);
  EXPECT_EQ(a.speedup_low, b.speedup_low);
  EXPECT_EQ(a.speedup_high, b.speedup_high);
  EXPECT_EQ(a.effort, b.effort);
  EXPECT_EQ(a.partial, b.partial);
  EXPECT_EQ(a.unstable, b.unstable);
  EXPECT_EQ(a.self_checked, b.self_checked);
  EXPECT_EQ(a.space, b.space);
  EXPECT_EQ(a.toolchain, b.toolchain);
  EXPECT_EQ(a.driver, b.driver);
  EXPECT_EQ(a.device_uuid, b.device_uuid);
  EXPECT_EQ(a.attune_version, b.attune_version);
  EXPECT_EQ(a.protocol, b.protocol);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.trials, b.trials);
  EXPECT_EQ(a.made_ms, b.made_ms);
  EXPECT_EQ(a.min_ns, b.min_ns);
  EXPECT_EQ(a.q1_ns, b.q1_ns);
  EXPECT_EQ(a.q3_ns, b.q3_ns);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.rounds_dropped, b.rounds_dropped);
  EXPECT_EQ(a.sm_clock_mhz, b.sm_clock_mhz);
  EXPECT_EQ(a.anchor_ratio, b.anchor_ratio);
  EXPECT_EQ(a.busy, b.busy);
  EXPECT_EQ(a.value, b.value);
  EXPECT_EQ(a.default_value, b.default_value);
}

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
  expect_equal(*found, record);
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
    EXPECT_TRUE(store.put_record(after, store.find_record(before.key)->uuid)) << "who was met in measuring gives way";
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

TEST(WisdomRecords, AreLeftOutAndCountedWhenAnyColumnWasChanged) {
  const char* damages[] = {
      "UPDATE record SET configuration = '[[\"BLOCK\",\"integer\",512]]' WHERE id = 1",
      "UPDATE record SET configuration = 'nonsense' WHERE id = 1",
      "UPDATE record SET median_ns = median_ns * 2 WHERE id = 1",
      "UPDATE record SET speedup = 10 WHERE id = 1",
      "UPDATE record SET effort = 3 WHERE id = 1",
      "UPDATE record SET effort = 17 WHERE id = 1",
      "UPDATE record SET partial = 1 WHERE id = 1",
      "UPDATE record SET device_name = 'x' WHERE id = 1",
      "UPDATE record SET multiprocessors = 1 WHERE id = 1",
      "UPDATE record SET compute_capability = 1 WHERE id = 1",
      "UPDATE record SET toolchain = '' WHERE id = 1",
      "UPDATE record SET seed = 1 WHERE id = 1",
      "UPDATE record SET row_hash = '' WHERE id = 1",
      "UPDATE record SET protocol = 2 WHERE id = 1",
      "UPDATE record SET busy = 0 WHERE id = 1",
      "UPDATE record SET q3_ns = NULL WHERE id = 1",
      "UPDATE record SET default_value = 7 WHERE id = 1",
      "UPDATE problem SET bindings = '[[\"n\",\"integer\",7]]' WHERE id = 1",
  };
  for (const char* damage : damages) {
    const test::Scratch scratch;
    WisdomStore(scratch / "w.db").put_record(sample_record(1));
    WisdomStore(scratch / "w.db").put_record(sample_record(2));
    execute(scratch / "w.db", damage);
    WisdomStore store(scratch / "w.db");
    EXPECT_EQ(store.records().size(), 1u) << damage;
    EXPECT_EQ(store.candidates(sample_key()).size(), 1u) << damage;
    EXPECT_FALSE(store.find_record(sample_key(1)).has_value()) << damage;
    EXPECT_TRUE(store.find_record(sample_key(2)).has_value()) << damage;
    EXPECT_EQ(store.damaged_rows(), 1) << damage;
  }
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
  const auto found = store.finalists(first.uuid);
  ASSERT_EQ(found.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].configuration, given[i].configuration);
    EXPECT_EQ(found[i].measurement.samples_ns, given[i].measurement.samples_ns);
    EXPECT_EQ(found[i].measurement.median_ns, given[i].measurement.median_ns);
    EXPECT_EQ(found[i].objective_values, given[i].objective_values);
    EXPECT_EQ(found[i].pareto, given[i].pareto);
    EXPECT_EQ(found[i].energy_j, given[i].energy_j);
    EXPECT_EQ(found[i].energy_error, given[i].energy_error);
    EXPECT_EQ(found[i].numerics.max_ulp, given[i].numerics.max_ulp);
    EXPECT_EQ(found[i].deterministic, given[i].deterministic);
    EXPECT_EQ(found[i].registers, given[i].registers);
    EXPECT_EQ(found[i].shared_bytes, given[i].shared_bytes);
  }
  EXPECT_TRUE(store.finalists("another").empty());
  const Record second = sample_record();
  store.put_record(second, {}, std::vector{test::sample_finalist(256)});
  EXPECT_TRUE(store.finalists(first.uuid).empty()) << "they go with the record";
  EXPECT_EQ(store.finalists(second.uuid).size(), 1u);
  Record weak = sample_record();
  weak.effort = Effort::estimate;
  EXPECT_FALSE(store.put_record(weak, {}, given));
  EXPECT_EQ(store.finalists(second.uuid).size(), 1u) << "of a record that is not stored, none are";
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
