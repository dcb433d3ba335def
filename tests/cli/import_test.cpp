// attune import, merge, adopt: what others measured, databases that become one, records of an earlier code.
#include <filesystem>

#include "cli/workbench.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class Import : public Workbench {
 protected:
  std::string other() const { return (folder_ / "other.db").string(); }
  // A few configurations of scale.cu, tuned into a database.
  void tune_into(const std::string& into, const std::string& problem = "n=5000") const {
    output_of({"tune", scale(), "--trials", "3", "--problem", problem, "--db", into});
  }
  Json records_of(const std::string& of) const { return Json::parse(output_of({"export", "--db", of})).at("records"); }
};

TEST_F(Import, OfJsonShowsWhatWouldComeAndThenBringsIt) {
  tune_into(other());
  const std::string file = (folder_ / "wisdom.json").string();
  output_of({"export", "--db", other(), "-o", file});
  EXPECT_THAT(output_of({"import", file, "--dry-run"}),
              AllOf(HasSubstr("would bring"), HasSubstr("scale on host|"), HasSubstr("1 record, which serves now")));
  EXPECT_FALSE(std::filesystem::exists(database()));
  EXPECT_THAT(output_of({"import", file}), AllOf(Not(HasSubstr("would")), HasSubstr("1 record")));
  EXPECT_THAT(output_of({"import", file}), HasSubstr("1 known before"));
  Json imported = records_of(database());
  ASSERT_THAT(imported, SizeIs(1));
  EXPECT_EQ(imported[0].at("origin"), "imported");
  EXPECT_EQ(imported[0].at("source"), "attune JSON");
  imported[0]["origin"] = "measured", imported[0]["source"] = "";
  EXPECT_EQ(imported, records_of(other()));
  EXPECT_THAT(on_one_line(output_of({"show", scale()})), HasSubstr("imported from attune JSON"));
}

TEST_F(Import, OfAPinThatWasNeverMeasuredKeepsItsConfiguration) {
  output_of({"pin", scale(), "--problem", "n=5000", "--configuration", "BLOCK=32 ITEMS=2", "--db", other()});
  for (const std::string format : {"json", "csv"}) {
    const std::string file = (folder_ / ("pin." + format)).string(), into = (folder_ / (format + ".db")).string();
    output_of({"export", "--format", format, "--db", other(), "-o", file});
    EXPECT_THAT(output_of({"import", file, "--db", into}), HasSubstr("1 record, which serves now"));
    EXPECT_EQ(records_of(into).at(0).at("configuration"), records_of(other()).at(0).at("configuration"));
    EXPECT_THAT(output_of({"plan", scale(), "--problem", "n=5000", "--db", into}),
                HasSubstr("speed-up       not known"));
  }
}

TEST_F(Import, OfTextWithAByteOrderMarkIsThatOfTheText) {
  tune_into(other());
  for (const std::string format : {"json", "csv"}) {
    const std::string file =
        write("marked." + format, "\xEF\xBB\xBF" + output_of({"export", "--format", format, "--db", other()}));
    EXPECT_THAT(output_of({"import", file, "--dry-run"}), HasSubstr("1 record, which serves now"));
  }
}

TEST_F(Import, OfWhatIsReadElsewhereSaysWhere) {
  tune_into(other());
  const std::string bundle = (folder_ / "a.bundle").string(), journal = (folder_ / "a.journal").string();
  output_of({"export", scale(), "--format", "bundle", "--no-images", "--db", other(), "-o", bundle});
  expect_failure(2, {"import", bundle}, {bundle + ": a bundle is for applications"});
  output_of({"export", scale(), "--format", "optuna", "--db", other(), "-o", journal});
  expect_failure(2, {"import", journal}, {journal + ": a journal of Optuna is written and not read"});
  output_of({"export", "--format", "tuned", (folder_ / "tuned").string(), "--db", other()});
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "tuned"))
    expect_failure(2, {"import", entry.path().string()}, {"a tuned file is read where it lies", "--wisdom FOLDER"});
}

TEST_F(Import, OfADatabaseLosesAgainstWhatIsMeasuredHere) {
  tune_into(other());
  EXPECT_THAT(output_of({"import", other()}), AllOf(HasSubstr("1 record"), HasSubstr("1 session with 3 trials")));
  EXPECT_EQ(records_of(database()).at(0).at("source"), "another database");
  EXPECT_THAT(output_of({"trials", scale()}), HasSubstr("3 trials"));
  tune_into(database());
  EXPECT_EQ(records_of(database()).at(0).at("origin"), "measured");
  tune_into(other(), "n=7000");
  EXPECT_THAT(output_of({"import", other()}), HasSubstr("the database as it was: " + database() + ".bak-1"));
  EXPECT_EQ(records_of(database()).at(0).at("origin"), "measured");
  EXPECT_THAT(records_of(database()), SizeIs(2));
}

// What is exported for other tuners comes back by the road of their files.
TEST_F(Import, OfExportedSessionsBringsTheirTrials) {
  tune_into(other());
  for (const std::string format : {"t4", "kernel-tuner"}) {
    const std::string file = (folder_ / (format + ".json")).string(), into = (folder_ / (format + ".db")).string();
    output_of({"export", scale(), "--format", format, "--db", other(), "-o", file});
    if (format == "t4")
      expect_failure(
          2, {"import", file, "--kernel", scale(), "--problem", "n=1000", "--device-class", "host", "--db", into},
          {file + " is for n=5000 T=float, and --problem names n=1000 T=float"});
    EXPECT_THAT(
        output_of({"import", file, "--kernel", scale(), "--problem", "n=5000", "--device-class", "host", "--db", into}),
        HasSubstr("1 session with 3 trials"));
    const auto trials_in = [&](const std::string& of) {
      return of_type(events_in(output_of({"trials", scale(), "--sort", "time", "--json", "--db", of})), "trial");
    };
    const std::vector<Json> given = trials_in(other()), back = trials_in(into);
    ASSERT_EQ(given.size(), back.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      EXPECT_EQ(given[i].at("configuration"), back[i].at("configuration"));
      EXPECT_EQ(given[i].at("verdict"), back[i].at("verdict"));
      EXPECT_NEAR(back[i].at("median_ns").get<double>(), given[i].at("median_ns").get<double>(), 1e-3);
      EXPECT_EQ(given[i].at("device_class"), back[i].at("device_class"));
    }
    EXPECT_THAT(on_one_line(output_of({"show", scale(), "--db", into})), HasSubstr("imported from"));
    EXPECT_THAT(output_of({"sessions", "--db", into}), Not(HasSubstr("on ,"))) << "their host is not known";
    EXPECT_THAT(on_one_line(output_of({"plan", scale(), "--problem", "n=5000", "--db", into})),
                HasSubstr("by another tool"));
    EXPECT_THAT(output_of({"tune", scale(), "--problem", "n=5000", "--trials", "1", "--db", into}),
                HasSubstr("warm start: 1 configuration from wisdom"));
  }
}

TEST_F(Import, OfOtherToolsSaysWhatItNeeds) {
  const std::string cache = ATTUNE_TEST_DATA "/recordings/kernel_tuner.json";
  expect_failure(2, {"import", cache}, {cache, "--kernel", "blur"});
  expect_failure(2, {"import", cache, "--kernel", scale()}, {"--device-class"});
  expect_failure(2, {"import", cache, "--kernel", scale(), "--device-class", "host"}, {"--problem"});
  expect_failure(2, {"import", cache, "--kernel", scale(), "--device-class", "cuda|H200"}, {"`cuda|H200`"});
  expect_failure(2, {"import", cache, "--kernel", scale(), "--device-class", "host", "--problem", "n=1"},
                 {cache, "is no parameter of the kernel scale", "--map"});
  expect_failure(
      2, {"import", cache, "--kernel", scale(), "--device-class", "host", "--problem", "n=1", "--objective", "energy"},
      {"times alone", "`energy`"});
  expect_failure(2,
                 {"import", write("values.csv", "BLOCK,ITEMS,time_ms\n64,3,1\n"), "--kernel", scale(), "--device-class",
                  "host", "--problem", "n=1"},
                 {"does not list, such as ITEMS=3 in BLOCK=64 ITEMS=3"});
  const std::string json = write("a.json", R"({"format": "attune-wisdom", "version": 1, "records": []})");
  expect_failure(2, {"import", json, "--problem", "n=1"}, {"carries its own keys", "--problem"});
  expect_failure(2, {"import", write("a.txt", "hello")}, {"a.txt", "needs --kernel"});
  expect_failure(2,
                 {"import", write("a.csv", "BLOCK;time_ms\n64;1\n"), "--kernel", scale(), "--device-class", "host",
                  "--problem", "n=1"},
                 {"no column holds times", "found BLOCK;time_ms"});
  expect_failure(2,
                 {"import", cache, "--kernel", scale(), "--problem", "n=1", "--device-class",
                  "cuda|\x1b[31m|cc90|sm132|mem141G|bus6144|l2-60M|mig-"},
                 {"is no class of devices"});
  expect_failure(1, {"import", write("b.db", std::string("SQLite format 3\0", 16) + std::string(200, '\0'))}, {"b.db"});
  expect_failure(2, {"import", json, (folder_ / "absent.json").string()}, {"absent.json"});
  EXPECT_FALSE(std::filesystem::exists(database())) << "all files are read before the first one is joined";
}

TEST_F(Import, MergedDatabasesHaveAllOfBoth) {
  const std::string all = (folder_ / "all.db").string();
  tune_into(database(), "n=5000");
  tune_into(other(), "n=7000");
  EXPECT_THAT(output_of({"merge", database(), other(), "--into", all, "--dry-run"}), HasSubstr("would bring"));
  EXPECT_FALSE(std::filesystem::exists(all));
  EXPECT_THAT(output_of({"merge", database(), other(), "--into", all}), HasSubstr("1 session with 3 trials"));
  EXPECT_THAT(records_of(all), SizeIs(2));
  for (const Json& record : records_of(all)) EXPECT_EQ(record.at("origin"), "measured");
  EXPECT_THAT(output_of({"merge", database(), "--into", all}), HasSubstr("2 known before"));
  expect_failure(2, {"merge", all, "--into", all}, {"into itself"});
  expect_failure(2, {"merge", "absent.db", "--into", all}, {"absent.db"});
}

TEST_F(Import, AdoptedRecordsServeTheNewCodeUntilItIsMeasured) {
  const std::string file = scale_with({});
  output_of({"tune", file, "--trials", "3"});
  const Json before = records_of(database()).at(0);
  scale_with("y[first + i] = T(3) * x[first + i];", "y[first + i] = x[first + i] * T(3);");
  EXPECT_THAT(output_of({"adopt", file, "--dry-run"}), HasSubstr("would be adopted"));
  EXPECT_THAT(records_of(database()), SizeIs(1));
  EXPECT_THAT(output_of({"adopt", file}),
              AllOf(HasSubstr("adopted from the code " + before.at("code").get<std::string>().substr(0, 12)),
                    HasSubstr("1 record, which serves now"), HasSubstr("attune tune " + file + " --revalidate\n")));
  EXPECT_THAT(output_of({"adopt", file}), HasSubstr("1 known before"));
  EXPECT_THAT(on_one_line(output_of({"show", file})), HasSubstr("adopted from code"));
  const auto own_record = [&] {
    for (const Json& record : records_of(database()))
      if (record.at("code") != before.at("code")) return record;
    return Json();
  };
  EXPECT_EQ(own_record().at("configuration"), before.at("configuration"));
  EXPECT_EQ(own_record().at("origin"), "adopted");
  EXPECT_THAT(on_one_line(output_of({"plan", file})), HasSubstr("adopted from an earlier code"));
  output_of({"tune", file, "--trials", "3"});
  EXPECT_EQ(own_record().at("origin"), "measured");
  EXPECT_THAT(output_of({"adopt", file}), HasSubstr("has a stronger record of the present code"));
}

TEST_F(Import, AdoptingRefusesOtherContractsAndLeavesOutWhatIsNotLegal) {
  const std::string file = scale_with("BLOCK = [64, 32, 128]", "BLOCK = [128, 32, 64]");
  expect_failure(2, {"adopt", file}, {"no records of an earlier code of scale"});
  output_of({"tune", file, "--trials", "2", "--parameters", "BLOCK=128 ITEMS=1"});
  scale_with({{"T(3) * x[first + i]", "x[first + i] * T(3)"}, {"BLOCK = [64, 32, 128]", "BLOCK = [64, 32]"}});
  EXPECT_THAT(on_one_line(output_of({"adopt", file})), HasSubstr("BLOCK=128 ITEMS=1 is no longer legal"));
  expect_failure(2, {"adopt", file, "--from", "no such code"}, {"no records of an earlier code"});
  scale_with({{"T(3) * x[first + i]", "x[first + i] * T(3)"}, {"uniform(-9, 9)", "uniform(-8, 8)"}});
  expect_failure(2, {"adopt", file}, {"cannot be adopted", "[arguments]"});
}

}  // namespace
}  // namespace attune::test
