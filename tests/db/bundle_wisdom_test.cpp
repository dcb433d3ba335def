// Records in bundles: what a look-up finds there is what it finds in the database.
#include "bundle/bundle_wisdom.hpp"

#include <limits>
#include <random>
#include <set>

#include "bundle/bundle_records.hpp"
#include "bundle/record_rows.hpp"
#include "db/field_values.hpp"
#include "db/reader/wisdom_reader.hpp"
#include "db/wisdom_test.hpp"
#include "kernel/look_up.hpp"

namespace attune {
namespace {

using test::sample_kernel;
using test::sample_record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAreArray;

std::vector<std::byte> bundle_bytes(const std::vector<Record>& records) {
  BundleWriter writer;
  add_records(writer, records);
  return writer.finish();
}

BundleWisdom wisdom_of(const std::vector<Record>& records) {
  return BundleWisdom(Bundle::owning(bundle_bytes(records), "a bundle"));
}

std::vector<std::string> uuids_of(const std::vector<Record>& records) {
  std::vector<std::string> found;
  for (const Record& record : records) found.push_back(record.uuid);
  return found;
}

class BundleRecords : public test::WisdomTest {
 protected:
  BundleRecords() {
    device_ = test::sample_device();
    device_.driver = "580.159 (CUDA 13.0)";
  }
  MatchRequest request(const Problem& problem) const { return {spec_, problem, device_, "reduce"}; }
  KernelSpec spec_ = sample_kernel();
  DeviceInfo device_;
};

TEST_F(BundleRecords, GiveARecordAsItWas) {
  test::RandomFields random(5);
  for (int round = 0; round < 100; ++round) {
    Record record = sample_record();
    application_fields(random, record);
    record.key.regime = "cold", record.key.objective = "time";
    const Problem problem = record.key.problem;
    const FoundRecords found = look_up(wisdom_of({record}), request(problem), Reach::this_problem);
    ASSERT_THAT(found.records, SizeIs(1));
    EXPECT_EQ(test::application_texts(found.records[0]), test::application_texts(record));
    EXPECT_EQ(found.records[0].key.problem, problem);
  }
}

TEST_F(BundleRecords, KeepOddNumbersAndNames) {
  Record record = sample_record();
  record.uuid = "no uuid at all";
  record.trials = -1;
  record.made_ms = std::numeric_limits<std::int64_t>::min();
  record.key.problem = Problem{{"n", std::numeric_limits<std::int64_t>::max()}, {"T", "double"}};
  const auto all = look_up_all(wisdom_of({record}), spec_, "cuda");
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].uuid, record.uuid);
  EXPECT_EQ(all[0].trials, -1);
  EXPECT_EQ(all[0].made_ms, record.made_ms);
  EXPECT_EQ(all[0].key.problem, record.key.problem);
  EXPECT_THAT(look_up_all(wisdom_of({record}), spec_, "host"), IsEmpty());
}

// Records of several device classes, regimes, objectives and codes, at clustered and at far sizes.
std::vector<Record> many_records(std::mt19937& random, int count) {
  const auto pick = [&](auto... values) {
    const std::array list{values...};
    return list[random() % list.size()];
  };
  std::vector<Record> records;
  std::set<std::string> keys;
  for (int i = 0; i < count; ++i) {
    Record record = sample_record(std::int64_t{1} << (random() % 12));
    record.key.problem = Problem{{"n", static_cast<std::int64_t>(1 + random() % pick(40u, 3000u, 100000000u))},
                                 {"T", pick("float", "double")}};
    record.key.regime = pick("cold", "cold", "warm");
    record.key.objective = pick("time", "time", "energy");
    record.key.device_class = pick("cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-",
                                   "cuda|NVIDIA H100|cc90|sm114|mem80G|bus5120|l2-50M|mig-",
                                   "cuda|NVIDIA A100|cc80|sm108|mem80G|bus5120|l2-40M|mig-");
    if (record.key.device_class.find("A100") != std::string::npos) record.compute_capability = 80;
    record.configuration = Configuration{{"BLOCK", pick(64, 128, 256, 512)},
                                         {"FAST", random() % 2 == 0},
                                         {"SCALE", pick(0.1, 0.5)},
                                         {"ORDER", pick("Order::rows", "Order::columns")}};
    const RecordKey& key = record.key;
    if (keys.insert(key.problem.text() + key.regime + key.objective + key.device_class).second)
      records.push_back(std::move(record));
  }
  return records;
}

TEST_F(BundleRecords, AreFoundAsInTheDatabase) {
  std::mt19937 random(7);
  const std::vector<Record> records = many_records(random, 400);
  {
    WisdomStore store(file_);
    for (const Record& record : records) store.put_record(record);
  }
  const WisdomReader database(file_, 1);
  const BundleWisdom bundle = wisdom_of(records);
  int found_near = 0, found_none = 0;
  for (int i = 0; i < 300; ++i) {
    const Problem problem = i % 2 == 0
                                ? records[random() % records.size()].key.problem
                                : Problem{{"n", static_cast<std::int64_t>(1 + random() % 5000000)}, {"T", "float"}};
    const Reach reach = i % 3 == 0 ? Reach::all : Reach::this_problem;
    const FoundRecords there = look_up(database, request(problem), reach),
                       here = look_up(bundle, request(problem), reach);
    ASSERT_THAT(uuids_of(here.records), UnorderedElementsAreArray(uuids_of(there.records))) << problem.text();
    EXPECT_EQ(here.are_all, there.are_all) << problem.text();
    EXPECT_EQ(here.near_misses.empty(), there.near_misses.empty()) << problem.text();
    found_near += here.records.size() > 1;
    found_none += here.records.empty();
  }
  EXPECT_GT(found_near, 20);
  EXPECT_GT(found_none, 5);
  EXPECT_THAT(uuids_of(look_up_all(bundle, spec_, "cuda")),
              UnorderedElementsAreArray(uuids_of(look_up_all(database, spec_, "cuda"))));
}

TEST_F(BundleRecords, OfOtherCodeAreNearMisses) {
  Record changed = sample_record();
  changed.key.code = std::string(64, 'f');
  const Problem problem = changed.key.problem;
  const FoundRecords found = look_up(wisdom_of({changed}), request(problem), Reach::this_problem);
  EXPECT_THAT(found.records, IsEmpty());
  EXPECT_THAT(uuids_of(found.near_misses), ElementsAre(changed.uuid));
}

TEST_F(BundleRecords, DoNotDependOnTheirOrder) {
  std::mt19937 random(8);
  std::vector<Record> records = many_records(random, 600);
  const std::vector<std::byte> bytes = bundle_bytes(records);
  std::ranges::shuffle(records, random);
  EXPECT_EQ(bundle_bytes(records), bytes);
}

TEST_F(BundleRecords, TakeAtMostAHundredBytesEach) {
  std::mt19937 random(9);
  const std::vector<Record> records = many_records(random, 12000);
  EXPECT_LE(bundle_bytes(records).size(), 100 * records.size());
}

// Whatever byte of a page or an index is another: an error, or the very same records. Never a wrong record: each
// section has its digest. Behind a digest that was made anew, nothing is read beyond the end.
TEST_F(BundleRecords, BehindAForgedDigestAreRefusedOrRead) {
  RecordIndex index;
  index.code = "c";
  index.problem = {"n", "T"};
  ByteWriter writer;
  for (const std::int64_t n : {64, 1000, 70000}) {
    const Record record = sample_record(n);
    static_cast<void>(ordinals_to_write(index, record.key.problem));
    write_row(writer, index, record);
  }
  const RecordGroup group{"reduce", "time", "cold", "cuda|x", 90, {}};
  const std::vector<std::byte> page = writer.take();
  const auto all = [](const auto&, const auto&) { return true; };
  ASSERT_THAT(read_rows(page, index, group, all), SizeIs(3));
  int refused = 0;
  for (std::size_t i = 0; i < page.size(); ++i)
    for (const int bit : {0, 3, 7}) {
      std::vector<std::byte> changed = page;
      changed[i] ^= static_cast<std::byte>(1 << bit);
      try {
        static_cast<void>(read_rows(changed, index, group, all));
      } catch (const Error&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 20);
  for (std::size_t size = 0; size < page.size(); ++size) {
    try {
      EXPECT_LT(read_rows(std::span(page).first(size), index, group, all).size(), 3u);
    } catch (const Error&) {
    }
  }
  const std::vector<std::byte> head = encode(index);
  for (std::size_t size = 0; size < head.size(); ++size)
    EXPECT_FALSE(decode_record_index(std::span(head).first(size))) << size;
}

TEST_F(BundleRecords, OfADamagedSectionAreAnError) {
  const std::vector<std::byte> whole = bundle_bytes({sample_record()});
  const Bundle sound = Bundle::in_memory(whole, "sound");
  for (const SectionKind kind : {SectionKind::records, SectionKind::page}) {
    std::vector<std::byte> bytes = whole;
    bytes[sound.sections(kind)[0].offset + 5] ^= std::byte{1};
    const Problem problem = sample_record().key.problem;
    try {
      static_cast<void>(look_up(BundleWisdom(Bundle::owning(bytes, "damaged")), request(problem), Reach::all));
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("the bundle damaged is damaged"));
    }
  }
}

}  // namespace
}  // namespace attune
