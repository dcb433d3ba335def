// What is read of attune's own texts and databases, and what is refused.
#include <map>

#include "attune/error.hpp"
#include "db/wisdom_test.hpp"
#include "exports/records_csv.hpp"
#include "exports/records_json.hpp"
#include "imports/foreign_wisdom.hpp"
#include "imports/import_file.hpp"
#include "imports/read_records.hpp"
#include "session/decide.hpp"

namespace attune::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const std::size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos) << before;
  return place == std::string::npos ? text : text.replace(place, before.size(), after);
}

// The record as a pin that nobody has measured.
Record never_measured(Record record) {
  record.median_ns = record.default_ns = record.value = record.default_value = 0;
  record.speedup = record.speedup_low = record.speedup_high = 1;
  record.protocol = 0;
  record.trials = 0;
  record.space.clear();
  return record;
}

// Records whose values have all kinds, and texts that need care.
std::vector<Record> odd_records() {
  std::vector<Record> records;
  for (const std::int64_t n : {1, 2, 3, 4}) records.push_back(sample_record(n));
  records[0].device_name = "GPU \"A\", naïve";
  records[0].seed = 18446744073709551615u;
  records[1].configuration = Configuration{{"WHOLE", 2.0},
                                           {"TEXT", "2"},
                                           {"SPACED", "a b"},
                                           {"SMALL", 5e-324},
                                           {"LEAST", std::int64_t{-9223372036854775807} - 1}};
  records[1].superseded = true;
  records[2].configuration = Configuration{{"BOTH", "'\""}, {"FLAG", "true"}, {"ON", true}};
  records[2].default_verdict = Verdict::timeout;
  records[3] = never_measured(std::move(records[3]));
  return records;
}

class ImportedRecords : public WisdomTest {
 protected:
  // Writes a text, reads it as a file to import, and joins it into a database.
  JoinResult import(const std::string& name, const std::string& text) {
    write_file(scratch_ / name, text);
    return join_parts(ImportFile(scratch_ / name).records("", notes_), {.into = file_});
  }
  // The records of the database as if they had been measured there.
  std::vector<Record> measured() const {
    std::vector<Record> records = WisdomStore(file_).records();
    for (Record& record : records) {
      EXPECT_EQ(record.origin, Origin::imported);
      record.origin = Origin::measured;
      record.source.clear();
    }
    return records;
  }
  std::vector<std::string> notes_;
};

TEST_F(ImportedRecords, OfJsonLoseNothing) {
  const std::string text = records_to_json(odd_records());
  EXPECT_EQ(import("a.json", text).counts.begin()->second.records, 4);
  EXPECT_EQ(WisdomStore(file_).records().at(0).source, "attune JSON");
  EXPECT_EQ(records_to_json(measured()), text);
  EXPECT_THAT(notes_, IsEmpty());
  EXPECT_EQ(import("a.json", text).counts.begin()->second.known, 4);
}

TEST_F(ImportedRecords, OfCsvLoseNothing) {
  const std::string text = records_to_csv(odd_records());
  EXPECT_EQ(import("a.csv", text).counts.begin()->second.records, 4);
  EXPECT_EQ(WisdomStore(file_).records().at(0).source, "attune CSV");
  EXPECT_EQ(records_to_csv(measured()), text);
}

TEST_F(ImportedRecords, LoseAgainstWhatIsMeasuredHereAndKeepTheirFirstSource) {
  Record own = sample_record(), better = sample_record(), from_tool = sample_record(7);
  better.effort = Effort::exhaustive;
  better.origin = Origin::pinned;
  from_tool.origin = Origin::imported, from_tool.source = "Kernel Tuner";
  WisdomStore(file_).put_record(own);
  import("a.json", records_to_json({better, from_tool}));
  WisdomStore store(file_);
  EXPECT_EQ(store.find_record(own.key)->uuid, own.uuid);
  EXPECT_THAT(store.history(own.key), SizeIs(2)) << "what lost is kept";
  EXPECT_EQ(store.find_record(from_tool.key)->source, "Kernel Tuner");
}

// The figures of a session that was disturbed replace figures that are not of here, also where both name one
// configuration.
TEST_F(ImportedRecords, GiveWayToWhatIsMeasuredHereEvenIfThatIsUnstable) {
  for (const Origin origin : {Origin::imported, Origin::adopted}) {
    WisdomStore store(":memory:");
    Record present = sample_record(), own = sample_record();
    present.origin = origin;
    present.busy = present.unstable = false;
    own.unstable = own.partial = true;
    store.put_record(present);
    SessionDecision decided;
    EXPECT_FALSE(keep_record(own, decided, present, true, store));
    EXPECT_EQ(store.find_record(own.key)->uuid, own.uuid);
    EXPECT_TRUE(store.find_record(own.key)->partial) << "what others searched is not counted as searched here";
  }
}

TEST_F(ImportedRecords, OfOneKernelAloneWhereItIsNamed) {
  Record other = sample_record(2);
  other.key.kernel = "scale";
  write_file(scratch_ / "a.json", records_to_json({sample_record(), other}));
  const WisdomParts parts = ImportFile(scratch_ / "a.json").records("scale", notes_);
  ASSERT_THAT(parts.records, SizeIs(1));
  EXPECT_EQ(parts.records[0].record.uuid, other.uuid);
  EXPECT_THAT(notes_, testing::ElementsAre("1 record of other kernels left out"));
}

TEST(RecordsFromJson, CountWhatTheyDoNotKnow) {
  const std::string text = records_to_json({sample_record()});
  EXPECT_EQ(records_from_json(replaced(text, "\"kernel\"", "\"future\": {\"a\": [1]}, \"kernel\"")).unknown_fields, 1);
  const ReadRecords without = records_from_json(replaced(text, "\"busy\": true,", ""));
  EXPECT_FALSE(without.records.at(0).busy);
}

TEST(RecordsFromJson, RefuseWhatIsNoValueAndNoFigure) {
  const Record record = sample_record();
  const std::string text = records_to_json({record});
  const std::string deep = std::string(20, '[') + std::string(20, ']');
  const std::map<std::string, std::pair<std::string, std::vector<std::string>>> changes = {
      {"\"kernel\": \"reduce\"", {"\"kernel\": \"../reduce\"", {"records[0]", "kernel", "`../reduce`"}}},
      {"\"code\": \"cccc", {"\"code\": \"int main() {} cccc", {"code", "64 hexadecimal digits"}}},
      {"\"uuid\": \"", {"\"uuid\": \"x", {"uuid", "identifier"}}},
      {"\"regime\": \"cold\"", {"\"regime\": \"cool\"", {"regime", "`cool`"}}},
      {"\"objective\": \"time\"", {"\"objective\": \"system()\"", {"objective"}}},
      {"\"median_ns\": 1", {"\"median_ns\": -1", {"median_ns", "-1"}}},
      {"\"default_ns\": 2", {"\"default_ns\": 1e300, \"x\": 2", {"default_ns"}}},
      {"\"speedup\": 1.9", {"\"speedup\": 0", {"speedup"}}},
      {"\"speedup\": 1.9,", {"\"speedup\": 190,", {"speedup is 190 within ["}}},
      {"\"effort\": \"measure\"", {"\"effort\": \"much\"", {"effort", "\"much\""}}},
      {"\"trials\": 321", {"\"trials\": 3.5", {"trials", "3.5", "whole number"}}},
      {"\"multiprocessors\": 132", {"\"multiprocessors\": 99999999999", {"multiprocessors"}}},
      {"\"driver\": \"580", {"\"driver\": \"\\u001b[2J580", {"driver", "one line"}}},
      {"\"toolchain\": \"", {"\"toolchain\": \"" + std::string(600, 'x'), {"toolchain"}}},
      {"\"SCALE\": 0.1", {"\"BLOCK\": 0.1", {"twice", "`BLOCK`"}}},
      {"\"SCALE\": 0.1", {"\"a b\": 0.1", {"`a b`"}}},
      {"\"FAST\": true", {"\"FAST\": null", {"configuration"}}},
      {"\"busy\": true", {"\"busy\": " + deep, {"deep"}}},
      {"\"busy\": true", {"\"busy\": \"" + std::string(5000, 'x') + "\"", {"4096"}}},
      {"\"version\": 1", {"\"version\": 2", {"version is 2"}}},
      {"\"kernel\": \"reduce\",", {"", {"no `kernel`"}}},
      {"\"made_ms\": 1", {"\"made_ms\": 99999991", {"made_ms"}}},
      {"NVRTC", {"\xff", {"JSON"}}},
      {"\"records\": [", {"\"records\": [3,", {"no record"}}},
  };
  for (const auto& [before, change] : changes) {
    const std::string message = error_of([&] { records_from_json(replaced(text, before, change.first)); });
    for (const std::string& word : change.second) EXPECT_THAT(message, HasSubstr(word)) << change.first.substr(0, 60);
  }
  EXPECT_THAT(error_of([&] { records_from_json(records_to_json({record, record})); }), HasSubstr(record.uuid));
  for (std::size_t length = 0; length < text.size(); length += 97)
    EXPECT_NE(error_of([&] { records_from_json(text.substr(0, length)); }), "") << length;
}

TEST(RecordsFromCsv, NameTheRowThatIsRefused) {
  const std::string text = records_to_csv({sample_record(1), sample_record(2)});
  const auto message_of = [](const std::string& changed) {
    const Scratch scratch;
    write_file(scratch / "a.csv", changed);
    std::vector<std::string> notes;
    return error_of([&] { ImportFile(scratch / "a.csv").records("", notes); });
  };
  EXPECT_THAT(message_of(replaced(text, "n=2 T", "n=2 n")),
              AllOf(HasSubstr("a.csv"), HasSubstr("row 2"), HasSubstr("`n`")));
  EXPECT_THAT(message_of(replaced(text, "12345.67", "x12345.67")), AllOf(HasSubstr("row 1"), HasSubstr("median_ns")));
  EXPECT_THAT(message_of(replaced(text, "measure,", "measure,,")), HasSubstr("fields"));
  EXPECT_THAT(message_of(text + "\"open"), HasSubstr("not closed"));
  EXPECT_THAT(message_of(replaced(text, "seed", "space")), HasSubstr("two columns are called `space`"));
}

// A database of others: its words, names of hosts and quarantine stay there.
TEST_F(ImportedRecords, OfADatabaseComeWithoutWordsHostsAndQuarantine) {
  const fs::path other = scratch_ / "other.db";
  Record pinned = sample_record();
  pinned.origin = Origin::pinned;
  {
    WisdomStore store(other);
    const std::int64_t session = begin(store);
    Trial killer = sample_trial(64);
    killer.verdict = Verdict::fault;
    killer.detail = "/home/someone/reduce.cu(3)";
    killer.deaths = 2;
    store.add_trial(session, killer);
    store.add_trial(session, sample_trial(128));
    store.put_record(pinned);
    store.put_ceilings(sample_device(), std::vector{Ceiling{"copy", 1, "B/s", "/home/someone", "", "", 1}});
  }
  const ForeignWisdom filter("");
  const JoinResult result = join_database(other, {.into = file_}, &filter);
  EXPECT_EQ(result.ceilings, 0);
  EXPECT_EQ(result.left_out, 0);
  EXPECT_THAT(content_of(file_), AllOf(testing::Not(HasSubstr("someone")), testing::Not(HasSubstr("node7"))));
  WisdomStore store(file_);
  EXPECT_THAT(store.quarantined(sample_key()), IsEmpty());
  EXPECT_THAT(store.known_trials(sample_key(), std::string(64, 'e')), IsEmpty()) << "nothing of it is known here";
  EXPECT_EQ(store.sessions("reduce").at(0).trials, 2);
  const Record record = store.records().at(0);
  EXPECT_EQ(record.origin, Origin::imported);
  EXPECT_EQ(record.source, "another database");
}

// Someone copied this database, and went on with a session of it elsewhere.
TEST_F(ImportedRecords, OfADatabaseAddNothingToASessionThatWasMeasuredHere) {
  const fs::path other = scratch_ / "other.db";
  {
    WisdomStore store(file_);
    store.add_trial(begin(store), sample_trial(64));
  }
  fs::copy_file(file_, other);
  {
    WisdomStore store(other);
    const std::int64_t session = store.sessions("reduce").at(0).id;
    store.add_trial(session, sample_trial(128));
    store.update_session(session, SessionState::finished, 9.5);
  }
  const ForeignWisdom filter("");
  join_database(other, {.into = file_}, &filter);
  WisdomStore store(file_);
  EXPECT_THAT(store.known_trials(sample_key(), std::string(64, 'e')), SizeIs(1)) << "times of elsewhere count as own";
  EXPECT_EQ(store.sessions("reduce").at(0).state, SessionState::running);
}

TEST_F(ImportedRecords, OfADatabaseAreLeftOutWhereTheyAreNoNamesAndNumbers) {
  const fs::path other = scratch_ / "other.db";
  Record odd = sample_record(1), sound = sample_record(2);
  odd.key.kernel = "../reduce";
  {
    WisdomStore store(other);
    store.put_record(odd);
    store.put_record(sound);
    SessionRow session = sample_session();
    session.key.strategy = "a\nb";
    store.add_trial(store.begin_session(session, sample_device()), sample_trial(64));
  }
  const ForeignWisdom filter("");
  EXPECT_EQ(join_database(other, {.into = file_}, &filter).left_out, 2);
  EXPECT_THAT(WisdomStore(file_).records(), SizeIs(1));
  EXPECT_THAT(WisdomStore(file_).sessions("reduce"), IsEmpty());
}

TEST_F(ImportedRecords, OfADatabaseComeWithAPinThatWasNeverMeasured) {
  const fs::path other = scratch_ / "other.db";
  Record pin = never_measured(sample_record());
  pin.origin = Origin::pinned;
  WisdomStore(other).put_record(pin);
  const ForeignWisdom filter("");
  EXPECT_EQ(join_database(other, {.into = file_}, &filter).left_out, 0);
  ASSERT_THAT(WisdomStore(file_).records(), SizeIs(1));
  EXPECT_EQ(WisdomStore(file_).records()[0].origin, Origin::imported);
}

TEST_F(ImportedRecords, OfADamagedDatabaseAreRefusedWhole) {
  const fs::path other = scratch_ / "other.db";
  {
    WisdomStore store(other);
    for (int n = 1; n <= 200; ++n) store.put_record(sample_record(n));
  }
  std::string bytes = content_of(other);
  for (std::size_t page = 40; page < 60; ++page) bytes.replace(page * 4096 + 8, 64, std::string(64, '\xee'));
  write_file(other, bytes);
  const ForeignWisdom filter("");
  EXPECT_THAT(error_of([&] { join_database(other, {.into = file_}, &filter); }),
              AllOf(HasSubstr("mv " + other.string()), Not(HasSubstr(".new-"))));
  EXPECT_FALSE(fs::exists(file_));
}

}  // namespace
}  // namespace attune::test
