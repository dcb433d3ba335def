// The tuned text: what is written is read again, whatever the records hold; damage is left out line by line.
#include "tuned/tuned_text.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "attune/error.hpp"
#include "core/record_fields.hpp"
#include "db/field_values.hpp"
#include "db/wisdom_test.hpp"

namespace attune {
namespace {

using test::sample_cover;
using test::sample_record;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string only_text(const std::vector<Record>& records, const std::vector<Cover>& covers = {}) {
  const auto files = tuned_files(records, covers);
  EXPECT_THAT(files, SizeIs(1));
  return files.begin()->second;
}

// Names of fields are texts in UTF-8; what RandomFields makes are any bytes.
struct PrintableFields : test::RandomFields {
  using test::RandomFields::RandomFields;
  using test::RandomFields::operator();
  void operator()(const char* name, std::string& value) {
    test::RandomFields::operator()(name, value);
    for (char& c : value) c = static_cast<char>(c & 0x7f);
  }
  void operator()(const char*, Origin& value) { value = static_cast<Origin>(++origins_ % 4); }
  int origins_ = 0;
};

TEST(TunedTextTest, GivesEveryFieldBack) {
  PrintableFields random(5);
  for (int round = 0; round < 200; ++round) {
    Record record = sample_record(1 + round);
    application_fields(random, record);
    const TunedText read = read_tuned_text(only_text({record}), "a");
    ASSERT_THAT(read.damage, IsEmpty());
    ASSERT_THAT(read.records, SizeIs(1));
    EXPECT_EQ(test::application_texts(read.records[0]), test::application_texts(record));
    EXPECT_EQ(read.records[0].key.problem, record.key.problem);
    EXPECT_EQ(read.records[0].key.device_class, record.key.device_class);
    EXPECT_EQ(read.records[0].key.code, record.key.code);
    EXPECT_EQ(read.records[0].key.contract, record.key.contract);
    EXPECT_EQ(read.records[0].key.kernel, record.key.kernel);
  }
}

TEST(TunedTextTest, GivesEveryFieldOfACoverBack) {
  PrintableFields random(6);
  for (int round = 0; round < 200; ++round) {
    Cover cover = sample_cover();
    const std::vector<Configuration> configurations(cover.configurations.begin(),
                                                    cover.configurations.begin() + round % 3);
    application_fields(
        [&](const char* name, auto& field) {
          if constexpr (requires { random(name, field); }) random(name, field);
        },
        cover);
    cover.configurations = configurations;
    cover.tree = "T == '\\n\"' ? n % 4 : -1", cover.measured = "n < 5";
    const TunedText read = read_tuned_text(only_text({}, {cover}), "a");
    ASSERT_THAT(read.damage, IsEmpty());
    ASSERT_THAT(read.covers, SizeIs(1));
    EXPECT_EQ(test::texts_of(read.covers[0]), test::texts_of(cover));
    EXPECT_EQ(read.covers[0].configurations, configurations);
    EXPECT_EQ(read.unknown, 0);
  }
}

TEST(TunedTextTest, HasALineForACoverBehindTheRecords) {
  Cover warm = sample_cover();
  warm.key.regime = "warm";
  const Record record = sample_record(8);
  const std::string text = only_text({record}, {warm, sample_cover()});
  EXPECT_EQ(text, only_text({record}, {sample_cover(), warm}));
  EXPECT_THAT(text,
              EndsWith("\ncover {\"BLOCK\":256,\"ORDER\":\"a\\u000ab \\\"c\\\"\"} {\"BLOCK\":512,\"ORDER\":\"d\"} "
                       "{\"regime\":\"warm\",\"tree\":\"n <= 65536 ? 0 : -1\",\"measured\":\"n >= 1024 && n <= "
                       "1048576\",\"problems\":8,\"mean_loss\":0.012,\"worst_loss\":0.3333333333333333,"
                       "\"attune_version\":\"0.1.0\",\"made_ms\":1760000000123}\n"));
  EXPECT_LT(text.find("\nrecord "), text.find("\ncover {\"BLOCK\":256"));
}

TEST(TunedTextTest, HasOneFileForAKernelAndADeviceClassWithAReadableName) {
  Record other = sample_record(), host = sample_record();
  other.key.kernel = "scan";
  host.key.device_class = "host|AMD EPYC 9B14 (96-Core)|cc0|sm2|mem8G|bus0|l2-32M|mig-";
  std::vector<std::string> names;
  for (const auto& [name, text] : tuned_files(std::vector{sample_record(1), sample_record(2), other, host}))
    names.push_back(name);
  EXPECT_THAT(names, ElementsAre(testing::StartsWith("reduce.amd-epyc-9b14-96-core-"),
                                 testing::MatchesRegex("reduce\\.nvidia-h200-[0-9a-f]{8}\\.tuned"),
                                 testing::StartsWith("scan.nvidia-h200-")));
}

// What a reviewer sees: the lines of the other records stay as they are, in the order of sizes.
TEST(TunedTextTest, ChangesOneLineForOneRecord) {
  std::vector<Record> records;
  for (const std::int64_t n : {100000, 9, 64, 1024}) records.push_back(sample_record(n));
  const std::string before = only_text(records);
  std::mt19937 random(3);
  std::ranges::shuffle(records, random);
  EXPECT_EQ(only_text(records), before);
  const auto place = [&](const char* text) { return before.find(text); };
  EXPECT_LT(place("{\"n\":9,"), place("{\"n\":64,"));
  EXPECT_LT(place("{\"n\":64,"), place("{\"n\":1024,"));
  EXPECT_LT(place("{\"n\":1024,"), place("{\"n\":100000,"));
  std::ranges::find_if(records, [](const Record& one) { return one.key.problem.at("n") == Value(64); })->median_ns = 1;
  const std::string after = only_text(records);
  int changed = 0;
  for (std::size_t a = 0, b = 0; a < before.size();) {
    const std::string_view line_a = std::string_view(before).substr(a, before.find('\n', a) - a);
    const std::string_view line_b = std::string_view(after).substr(b, after.find('\n', b) - b);
    changed += line_a != line_b;
    a += line_a.size() + 1, b += line_b.size() + 1;
  }
  EXPECT_EQ(changed, 1);
}

TEST(TunedTextTest, LeavesOutWhatIsTheDefault) {
  const std::string text = only_text({sample_record()});
  for (const char* const field : {"regime", "objective", "device_name", "partial", "origin", "protocol"})
    EXPECT_THAT(text, testing::Not(HasSubstr(field)));
  EXPECT_THAT(text, HasSubstr("\"speedup\":1.9"));
}

TEST(TunedTextTest, HasTheRecordsOfTheNewestCode) {
  Record old = sample_record(1), present = sample_record(2);
  old.key.code = std::string(64, 'a');
  old.made_ms = present.made_ms - 1;
  const TunedText read = read_tuned_text(only_text({old, present}), "a");
  ASSERT_THAT(read.records, SizeIs(1));
  EXPECT_EQ(read.records[0].uuid, present.uuid);
}

TEST(TunedTextTest, HasTheCoversOfTheNewestCode) {
  Cover old = sample_cover(), present = sample_cover();
  old.key.code = std::string(64, 'a');
  old.made_ms = sample_record().made_ms - 1;
  EXPECT_THAT(read_tuned_text(only_text({sample_record()}, {old, present}), "a").covers, SizeIs(1));
  old.made_ms = sample_record().made_ms + 1;
  const TunedText read = read_tuned_text(only_text({sample_record()}, {old, present}), "a");
  ASSERT_THAT(read.covers, SizeIs(1));
  EXPECT_EQ(read.covers[0].key.code, old.key.code);
  EXPECT_THAT(read.records, IsEmpty());
}

constexpr const char* header =
    "attune tuned 1\nkernel k\ncode c\ncontract d\nclass cuda|NVIDIA H200|cc90|sm132|mem141G|bus6144|l2-60M|mig-\n"
    "device NVIDIA H200\ncc 90\nmultiprocessors 132\n";

TEST(TunedTextTest, IsWrittenByHandWithAsLittleAsAKeyAndAConfiguration) {
  const TunedText read = read_tuned_text(std::string(header) +
                                             "# mine\n\nrecord {\"n\":7} {\"BLOCK\":64}\r\n"
                                             "record {\"n\":8} {\"BLOCK\":64} {\"speedup\":2}",
                                         "a");
  EXPECT_THAT(read.damage, IsEmpty());
  ASSERT_THAT(read.records, SizeIs(2));
  EXPECT_EQ(read.records[0].configuration, Configuration({{"BLOCK", 64}}));
  EXPECT_EQ(read.records[0].device_name, "NVIDIA H200");
  EXPECT_EQ(read.records[0].compute_capability, 90);
  EXPECT_EQ(read.records[0].key.regime, "cold");
  EXPECT_EQ(read.records[1].speedup, 2);
}

TEST(TunedTextTest, LeavesDamagedLinesOutAndNamesThem) {
  const std::pair<const char*, const char*> lines[] = {
      {"record {\"n\":7}", "it is no `record"},
      {"record {\"n\": 7} {\"BLOCK\":64}", "it is no `record"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"speedup\":1.5} more", "it is no `record"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"speedup\":\"fast\"}", "the field `speedup`"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"trials\":1.5}", "the field `trials`"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"protocol\":5000000000}", "the field `protocol`"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"effort\":\"unknown\"}", "the field `effort`"},
      {"record {\"n\":7} {\"BLOCK\":64} {\"speed\":1.5}", "the field `speed`"},
      {"cc ninety", "`ninety` is no number"},
      {"cover", "it is no `cover"},
      {"cover {\"BLOCK\":64} {", "it is no `cover"},
      {"cover {\"BLOCK\":64} {\"tree\":\"0\",\"measured\":\"true\"} more", "it is no `cover"},
      {"cover {\"BLOCK\":64} {\"tree\":0,\"measured\":\"true\"}", "the field `tree`"},
      {"cover {\"BLOCK\":64} {\"problems\":1.5}", "the field `problems`"},
      {"cover {\"BLOCK\":64} {\"mean_loss\":1e999}", "it is no `cover"},
      {"cover {\"BLOCK\":64} {\"kernel\":\"other\"}", "the field `kernel`"},
      {"cover {\"BLOCK\":64} {\"configurations\":\"{}\"}", "the field `configurations`"},
      {"cover {\"BLOCK\":64} {\"tree\":\"n <\",\"measured\":\"true\"}", "n <"},
      {"cover {\"BLOCK\":64} {\"tree\":\"0\",\"measured\":\"n =>\"}", "n =>"},
      {"cover {\"BLOCK\":64} {\"measured\":\"true\"}", "expression"},
      {"<<<<<<< HEAD", "neither a record nor"},
  };
  for (const auto& [line, why] : lines) {
    const TunedText read =
        read_tuned_text(std::string(header) + line + "\nrecord {\"n\":9} {\"BLOCK\":32}\n", "folder/k.tuned");
    EXPECT_THAT(read.damage, ElementsAre(testing::AllOf(testing::StartsWith("folder/k.tuned:9: "), HasSubstr(why))))
        << line;
    EXPECT_THAT(read.records, SizeIs(1)) << line;
    EXPECT_THAT(read.covers, IsEmpty()) << line;
  }
  EXPECT_THAT(read_tuned_text("attune tuned 1\nkernel k\nrecord {} {}\n", "a").damage,
              ElementsAre(HasSubstr("a record stands before kernel, code")));
  EXPECT_THAT(read_tuned_text("attune tuned 1\nkernel k\ncover {}\n", "a").damage,
              ElementsAre(HasSubstr("a cover stands before kernel, code")));
}

TEST(TunedTextTest, SkipsAndCountsLinesOfLaterKinds) {
  const TunedText read = read_tuned_text(std::string(header) + "later [{\"BLOCK\":32}] n < 5\nlater\n", "a");
  EXPECT_EQ(read.unknown, 2);
  EXPECT_THAT(read.damage, IsEmpty());
}

TEST(TunedTextTest, OfAnotherVersionIsRefused) {
  for (const std::string text : {"", "attune tuned 2\n", "attune tuned 10\n", "kernel k\n", "\nattune tuned 1\n"})
    EXPECT_THROW(read_tuned_text(text, "a"), Error) << text;
  EXPECT_NO_THROW(read_tuned_text("attune tuned 1", "a"));
}

TEST(TunedTextTest, CannotHoldALineBreakInAName) {
  Record record = sample_record();
  record.key.device_class = "cuda|two\nlines|cc90|sm132|mem141G|bus6144|l2-60M|mig-";
  EXPECT_THROW(tuned_files(std::vector{record}), UsageError);
}

// Whatever byte is another: an error, fewer records, or other values. Never more records or a crash.
TEST(TunedTextTest, IsReadWhateverItHolds) {
  const std::string whole = only_text({sample_record(1), sample_record(2)}, {sample_cover()});
  std::mt19937 random(11);
  int left_out = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole.substr(0, round % 3 == 0 ? random() % whole.size() : whole.size());
    for (int i = 0; i < 3 && !text.empty(); ++i) text[random() % text.size()] = static_cast<char>(random() % 256);
    try {
      const TunedText read = read_tuned_text(text, "a");
      EXPECT_LE(read.records.size() + read.covers.size(), 3u);
      left_out += static_cast<int>(read.damage.size());
    } catch (const Error&) {
    }
  }
  EXPECT_GT(left_out, 100);
}

}  // namespace
}  // namespace attune
