// attune tune --revalidate: stored records measured again, with faults planted in them.
#include "attune/error.hpp"
#include "base/uuid.hpp"
#include "cli/workbench.hpp"
#include "db/wisdom_store.hpp"

namespace attune::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Revalidate : public Workbench {
 protected:
  void SetUp() override {
    Workbench::SetUp();
    kernel_ = scale_with("  const long long first", "  if (ITEMS == 2 && n == 1234) x += 1;\n  const long long first");
    tuned("n=5000");
  }
  void tuned(const std::string& problem) const {
    output_of({"tune", kernel_, "--problem", problem, "--trials", "3", "--seed", "1"});
  }
  // Changes the record of a problem as no program of attune would, and stores it in its place.
  template <typename Change>
  void plant(const std::string& problem, const Change& change) const {
    WisdomStore store(database());
    for (Record record : store.records("scale")) {
      if (record.key.problem.text().rfind(problem, 0) != 0) continue;
      const std::string before = record.uuid;
      record.uuid = make_uuid();
      ++record.made_ms;
      change(record);
      ASSERT_TRUE(store.put_record(record, before));
      return;
    }
    FAIL() << "no record of " << problem;
  }
  std::vector<Json> revalidated(std::vector<std::string> further = {}) const {
    std::vector<std::string> command = {"tune", kernel_, "--revalidate"};
    command.insert(command.end(), further.begin(), further.end());
    return of_type(events_of(command), "revalidated");
  }
  Record record_of(const std::string& problem) const {
    WisdomStore store(database(), WisdomStore::Access::read_only);
    for (const Record& record : store.records("scale"))
      if (record.key.problem.text().rfind(problem, 0) == 0) return record;
    throw Error("no record of " + problem);
  }
  std::string kernel_;
};

TEST_F(Revalidate, NothingIsMeasuredWhereNothingSpeaksAgainstARecord) {
  EXPECT_THAT(output_of({"tune", kernel_, "--revalidate"}), HasSubstr("nothing to measure: 1 record is as"));
  const auto all = revalidated({"--all"});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].at("reason"), "asked for");
}

TEST_F(Revalidate, ARecordOfAnotherDriverIsMeasuredAndThenIsOfThisOne) {
  plant("n=5000", [](Record& record) { record.driver = "of last year"; });
  EXPECT_THAT(output_of({"tune", kernel_, "--revalidate", "--dry-run"}),
              HasSubstr("scale n=5000 T=float: driver of last year, now"));
  EXPECT_EQ(record_of("n=5000").driver, "of last year") << "a dry run measures nothing";
  const auto found = revalidated();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(found[0].at("record_ns"), 0);
  EXPECT_NE(record_of("n=5000").driver, "of last year");
  EXPECT_THAT(output_of({"tune", kernel_, "--revalidate"}), HasSubstr("nothing to measure"));
}

TEST_F(Revalidate, PlantedFaultsAreFound) {
  tuned("n=2000");
  tuned("n=3000");
  tuned("n=1234");
  plant("n=5000", [](Record& record) { record.median_ns *= 3, record.default_ns *= 3, record.driver = "old"; });
  plant("n=2000", [](Record& record) { record.configuration.set("BLOCK", 48), record.driver = "old"; });
  plant("n=3000", [](Record& record) { record.origin = Origin::imported, record.source = "another database"; });
  // Computes what is wrong for this problem.
  plant("n=1234", [](Record& record) {
    record.configuration = Configuration{{"BLOCK", 32}, {"ITEMS", 2}};
    record.driver = "old";
  });
  std::map<std::int64_t, Json> found;
  for (const Json& one : revalidated()) found[one.at("problem").at("n").get<std::int64_t>()] = one;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[5000].at("standing"), "moved") << found[5000];
  EXPECT_EQ(found[2000].at("standing"), "dropped");
  EXPECT_THAT(found[2000].at("why").get<std::string>(), HasSubstr("not legal"));
  EXPECT_EQ(found[3000].at("reason"), "imported from another database");
  EXPECT_EQ(record_of("n=3000").origin, Origin::measured);
  EXPECT_EQ(found[1234].at("standing"), "dropped") << found[1234];
  EXPECT_THAT(found[1234].at("why").get<std::string>(), HasSubstr("wrong_result"));
  EXPECT_EQ(record_of("n=1234").configuration.at("ITEMS").integer(), 1) << "the default serves";
}

TEST_F(Revalidate, APinStays) {
  plant("n=5000", [](Record& record) {
    record.origin = Origin::pinned;
    record.median_ns = record.default_ns = 0;
    record.protocol = 0;
  });
  const std::string out = output_of({"tune", kernel_, "--revalidate"});
  EXPECT_THAT(out, AllOf(HasSubstr("pinned"), HasSubstr("(it was never measured)"), HasSubstr("it stays")));
  EXPECT_EQ(record_of("n=5000").origin, Origin::pinned);
}

TEST_F(Revalidate, ReportsAndSearchesStillSeeTheSearch) {
  revalidated({"--all"});
  EXPECT_THAT(output_of({"show", kernel_}), HasSubstr("3 configurations"));
  const auto again = events_of({"tune", kernel_, "--problem", "n=5000", "--trials", "3", "--seed", "1"});
  EXPECT_EQ(of_type(again, "session").at(0).at("trials_before"), 3) << "the search goes on";
}

TEST_F(Revalidate, WhatCannotBeMeasuredIsSaid) {
  const CommandResult without = attune({"tune", "--revalidate", "--all"});
  EXPECT_EQ(without.code, 0);
  EXPECT_THAT(without.err, HasSubstr("scale n=5000 T=float: left out: it is no built-in kernel"));
  const std::string changed = scale_with("T(3)", "T(1) * T(3)");
  const CommandResult other = attune({"tune", changed, "--revalidate", "--all"});
  EXPECT_THAT(other.err, HasSubstr("its kernel has changed since"));
  expect_failure(2, {"tune", kernel_, "--revalidate", "--trials", "3"}, {"--revalidate and --trials"});
  expect_failure(2, {"tune", kernel_, "--all"}, {"--all is of --revalidate"});
  expect_failure(2, {"tune", "no_such_kernel", "--revalidate"}, {"no built-in kernel `no_such_kernel`"});
}

}  // namespace
}  // namespace attune::test
