// Revalidations on a recording, with faults planted in the stored records.
#include "session/revalidate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/uuid.hpp"
#include "kernel/problem.hpp"
#include "session/kernel_session.hpp"
#include "subject/kernel_subject.hpp"
#include "support/bowl.hpp"
#include "support/replay_pool.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

constexpr const char* best_before = "TILE=32 ROWS=4 ORDER=rows";

class Revalidations : public testing::Test {
 protected:
  Revalidations() : recording_(bowl()), on_(recording_) {
    spec_ = replay_kernel(recording_);
    subject_ = std::make_unique<KernelSubject>(spec_, Problem(), on_.pool.device().info);
    KernelRequest request;
    request.spec = spec_;
    request.effort = Effort::exhaustive;
    request.seed = 7;
    request.compile_threads = 1;
    record_ = run_session(request, on_.pool, store_, nullptr, quiet_, stop_).record.value();
    request_.compile_threads = 1;
    request_.seed = 7;
  }
  Configuration configuration(const std::string& text) const { return parse_configuration(spec_, text); }
  const Configuration& by_default() const { return subject_->default_configuration().value(); }
  // Stores a record in the place of the one that serves.
  Record plant(Record record) {
    record.uuid = make_uuid();
    record.made_ms = record_.made_ms + 1;
    store_.put_record(record, record_.uuid);
    EXPECT_EQ(present().uuid, record.uuid);
    return record;
  }
  Revalidation revalidate_it(const Record& record) {
    return revalidate(record, request_, *subject_, on_.pool, store_, nullptr, quiet_, stop_);
  }
  // Returns the record that serves; the database has one key.
  Record present() { return store_.records(record_.key.kernel).front(); }

  const Recording recording_;
  ReplayPool on_;
  WisdomStore store_{":memory:"};
  Observer quiet_;
  std::atomic<int> stop_{0};
  KernelSpec spec_;
  std::unique_ptr<KernelSubject> subject_;
  SessionRequest request_;
  Record record_;
};

TEST_F(Revalidations, WhatStillHoldsIsConfirmedAsMeasuredNow) {
  Record old = record_;
  old.driver = "of last year";
  old = plant(old);
  const Revalidation found = revalidate_it(old);
  EXPECT_EQ(found.standing, RecordStanding::confirmed) << found.why;
  EXPECT_NE(present().uuid, old.uuid);
  EXPECT_EQ(present().configuration.text(), best_before);
  EXPECT_EQ(present().driver, on_.pool.device().info.driver);
  EXPECT_EQ(present().trials, 42) << "what was searched still counts";
  EXPECT_EQ(present().effort, Effort::exhaustive);
  EXPECT_FALSE(present().partial);
  EXPECT_GT(present().speedup, 1);
  EXPECT_LT(std::log(present().speedup_high / present().speedup_low), 0.02);
}

TEST_F(Revalidations, DoubledTimesAreFoundAndCorrected) {
  Record doubled = record_;
  doubled.median_ns *= 2;
  doubled.default_ns *= 2;
  doubled = plant(doubled);
  const Revalidation found = revalidate_it(doubled);
  EXPECT_EQ(found.standing, RecordStanding::moved);
  EXPECT_NEAR(present().median_ns, record_.median_ns, 0.02 * record_.median_ns);
}

TEST_F(Revalidations, AWinnerThatIsSlowerThanTheDefaultIsReplacedByIt) {
  // The configuration next above the default's time.
  Record slow = record_;
  double least = 0;
  for (const Trial& trial : store_.known_trials(record_.key, record_.space)) {
    if (trial.verdict != Verdict::ok) continue;
    const double ratio = trial.measurement.median_ns / record_.default_ns;
    if (ratio < 1.03 || (least > 0 && ratio >= least)) continue;
    least = ratio;
    slow.configuration = trial.configuration;
  }
  ASSERT_GT(least, 1) << "the recording has none";
  slow = plant(slow);
  const Revalidation found = revalidate_it(slow);
  EXPECT_EQ(found.standing, RecordStanding::replaced);
  EXPECT_EQ(present().configuration, by_default());
  EXPECT_TRUE(present().partial) << "its search may have had better ones";
  EXPECT_NEAR(found.record_ns / present().median_ns, least, 0.03);
}

TEST_F(Revalidations, AnIllegalValueIsDroppedAndTheDefaultServes) {
  Record illegal = record_;
  illegal.configuration.set("TILE", 48);
  illegal = plant(illegal);
  const Revalidation found = revalidate_it(illegal);
  EXPECT_EQ(found.standing, RecordStanding::dropped);
  EXPECT_THAT(found.why, HasSubstr("not legal"));
  EXPECT_EQ(present().configuration, by_default());
}

TEST_F(Revalidations, WhatFailsIsDroppedWithItsVerdict) {
  Record failing = record_;
  for (const Trial& trial : store_.trials(store_.sessions(spec_.name).front().id))
    if (trial.verdict != Verdict::ok) failing.configuration = trial.configuration;
  ASSERT_NE(failing.configuration, record_.configuration) << "the recording has no failure";
  failing = plant(failing);
  const Revalidation found = revalidate_it(failing);
  EXPECT_EQ(found.standing, RecordStanding::dropped);
  EXPECT_THAT(found.why, HasSubstr(": "));
  EXPECT_EQ(present().configuration, by_default());
}

TEST_F(Revalidations, APinIsMeasuredAndStays) {
  Record pinned = record_;
  pinned.origin = Origin::pinned;
  pinned.median_ns = pinned.default_ns = 0;
  pinned.configuration = by_default();
  pinned.configuration.set("TILE", 16);
  pinned = plant(pinned);
  const Revalidation found = revalidate_it(pinned);
  EXPECT_EQ(found.standing, RecordStanding::pinned);
  EXPECT_GT(found.record_ns, 0);
  EXPECT_EQ(present().uuid, pinned.uuid);
}

TEST_F(Revalidations, WhatCameFromElsewhereIsMeasuredHereAndItsSearchCountsAsCutShort) {
  Record imported = record_;
  imported.origin = Origin::imported;
  imported.source = "another database";
  imported = plant(imported);
  EXPECT_EQ(revalidate_it(imported).standing, RecordStanding::confirmed);
  EXPECT_EQ(present().origin, Origin::measured);
  EXPECT_TRUE(present().source.empty());
  EXPECT_TRUE(present().partial) << "so that `tune` still searches here";
}

// A revalidation is a session of its own: the search that made the record can still be continued or looked up.
TEST_F(Revalidations, TheSearchOfTheRecordStaysTheSessionOfItsKey) {
  revalidate_it(record_);
  KernelRequest request;
  request.spec = spec_;
  request.effort = Effort::exhaustive;
  request.seed = 7;
  EXPECT_EQ(run_session(request, on_.pool, store_, nullptr, quiet_, stop_).end, Ending::known);
}

TEST_F(Revalidations, AnInterruptChangesNothing) {
  stop_ = 1;
  const Revalidation found = revalidate_it(record_);
  EXPECT_EQ(found.standing, RecordStanding::unsure);
  EXPECT_TRUE(found.interrupted);
  EXPECT_EQ(present().uuid, record_.uuid);
}

TEST(WhyRevalidate, NamesWhatSpeaksAgainstARecord) {
  Record record;
  record.median_ns = 1000;
  record.driver = "580.65";
  record.toolchain = "NVRTC 13.0";
  const Present here{"580.65", "NVRTC 13.0", true};
  EXPECT_EQ(why_revalidate(record, here), "");
  EXPECT_EQ(why_revalidate(record, {"590.1", "NVRTC 13.0", true}), "driver 580.65, now 590.1");
  EXPECT_EQ(why_revalidate(record, {"580.65", "NVRTC 13.1", true}), "NVRTC 13.0, now NVRTC 13.1");
  EXPECT_EQ(why_revalidate(record, {"580.65", "NVRTC 13.0", false}), "no session of this database measured it");
  Record other = record;
  other.protocol = first_present_protocol - 1;
  EXPECT_EQ(why_revalidate(other, here), "its times have an earlier meaning");
  other.protocol = 0, other.median_ns = 0;
  EXPECT_EQ(why_revalidate(other, here), "it was never measured");
  other = record;
  other.origin = Origin::imported;
  other.source = "Kernel Tuner";
  EXPECT_EQ(why_revalidate(other, here), "imported from Kernel Tuner");
  other.origin = Origin::adopted;
  other.source = "";
  EXPECT_EQ(why_revalidate(other, here), "adopted");
}

}  // namespace
}  // namespace attune
