// What a device lane does after a death, a failure or a change of its worker, without a thread: each row says what is
// submitted, what goes wrong, and what follows.
#include "worker/lane_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <map>

#include "unit/worker/job_name.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double copy_ns = 77;

struct Row {
  const char* name;
  const char* jobs;    // "1 2: rounds 1 2, try 3": the instances that are loaded before, and what is submitted
  const char* faults;  // "try 2 dies, try 9 fails always from 3": what becomes of jobs; from the third worker on
  const char* story;   // "try 2, begin, try 9, try 2#2 = ok after 1": what workers begin, and the results
  bool isolates = true;
};
void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

std::vector<std::string> split(const std::string& text, const std::string& by) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; !text.empty() && at != std::string::npos;) {
    const std::size_t end = text.find(by, at);
    parts.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? end : end + by.size();
  }
  return parts;
}

// Instances 1 and 11 are of one configuration. The known-good job is that of instance 9.
InstanceLaunch launch(InstanceId id) { return {id, "c" + std::to_string(id == 11 ? 1 : id), 1, {}}; }
Try try_of(InstanceId id) { return {launch(id), {.count = 1}}; }

Job job_of(const std::string& text) {
  const std::vector<std::string> words = split(text, " ");
  std::vector<InstanceId> ids;
  for (std::size_t i = 1; i < words.size(); ++i)
    ids.push_back(words[i] == "copy" ? device_copy : std::stoull(words[i]));
  if (words[0] == "open") return OpenDevice{};
  if (words[0] == "begin") return Begin{};
  if (words[0] == "load") return Load{launch(ids.at(0)), {}};
  if (words[0] == "try") return try_of(ids.at(0));
  if (words[0] == "check") return CheckAgain{ids.at(0), false};
  if (words[0] == "release") return Release{ids.at(0)};
  return Rounds{ids, {}};
}

std::vector<Job> jobs_of(const std::string& text) {
  std::vector<Job> jobs;
  for (const std::string& one : split(text, ", ")) jobs.push_back(job_of(one));
  return jobs;
}

// What becomes of a job.
using Change = std::function<void(Receipt&)>;

Change ends_by(Receipt::End end, int signal = 0) {
  return [=](Receipt& received) { received = {end, {}, "as the test says", signal}; };
}
Change answers(const Answer& answer) {
  return [=](Receipt& received) { received.reply.answer = answer; };
}
Change has_status(const Status& status) {
  return [=](Receipt& received) {
    const auto set = [&](auto& answer) {
      if constexpr (requires { answer.status; }) answer.status = status;
    };
    std::visit(set, received.reply.answer);
  };
}
auto& samples_of(Receipt& received) { return std::get<RoundsAnswer>(received.reply.answer).samples_ns; }

const std::map<std::string, Change> changes{
    {"is_not_begun", ends_by(Receipt::End::died)},
    {"dies", ends_by(Receipt::End::died)},
    {"is_killed", ends_by(Receipt::End::died, SIGKILL)},
    {"is_late", ends_by(Receipt::End::timed_out)},
    {"is_sticky", has_status({Verdict::fault, "700", true})},
    {"fails", has_status({Verdict::resources, "701", false})},
    {"breaks", answers(Failure{Failure::Kind::error, "broken"})},
    {"lies", answers(Acknowledgement{})},
    {"changes", [](Receipt& received) { received.reply.changed = "descriptor 6 closed"; }},
    {"leaks", [](Receipt& received) { std::get<TryAnswer>(received.reply.answer).free_bytes = 499; }},
    {"lacks_one", [](Receipt& received) { samples_of(received).pop_back(); }},
    {"has_zero", [](Receipt& received) { samples_of(received).back() = 0; }},
};

struct Fault {
  std::string job, change;
  int times = 1, from_worker = 1;
};

std::vector<Fault> faults_of(const std::string& text) {
  std::vector<Fault> faults;
  for (const std::string& one : split(text, ", ")) {
    Fault& fault = faults.emplace_back();
    for (const std::string& word : split(one, " ")) {
      if (fault.change.empty() && !changes.contains(word)) fault.job += (fault.job.empty() ? "" : " ") + word;
      if (changes.contains(word)) fault.change = word;
      if (word == "twice") fault.times = 2;
      if (word == "always") fault.times = 1000;
      if (fault.from_worker == 0) fault.from_worker = std::stoi(word);
      if (word == "from") fault.from_worker = 0;
    }
  }
  return faults;
}

// A lane and its workers.
class Scene {
 public:
  explicit Scene(const std::string& loaded = "", bool isolates = true) : state_(isolates) {
    play("begin", "");
    for (const std::string& id : split(loaded, " ")) play("load " + id, "");
    state_.set_known_good(KnownGood{try_of(9), 0});
    results.clear();
    story.clear();
  }
  void play(const std::string& jobs, const std::string& faults) {
    faults_ = faults_of(faults);
    for (const Job& job : jobs_of(jobs)) state_.submit({0, ++last_}, job);
    while (state_.has_work()) {
      LaneActions actions = state_.next(++now_);
      for (Result& result : actions.results) tell(std::move(result));
      if (actions.replaces_worker) lose_worker();
      for (LaneActions::JobToSend& sending : actions.sends) sent_.push_back(std::move(sending.job));
      most_sent = std::max(most_sent, sent_.size());
      if (actions.waits) state_.receive(next_reply(*actions.waits), ++now_);
    }
  }

  std::string story;
  std::vector<Result> results;
  std::map<std::string, double> to_begin;  // seconds that a job was given
  std::size_t most_sent = 0;

 private:
  Receipt next_reply(TimeLimit limit) {
    const Job& job = sent_.front();
    const std::string name = name_of(job);
    const bool is_begun = std::exchange(is_begun_, true);
    if (!is_begun) to_begin[name] = limit.seconds;
    Receipt received;
    if (is_begun) received.reply.answer = answer_to(job);
    if (!is_begun) received.reply.answer = StartNotice{};
    for (Fault& fault : faults_)
      if (fault.job == name && (fault.change == "is_not_begun") != is_begun && worker_ >= fault.from_worker &&
          fault.times-- > 0)
        changes.at(fault.change)(received);
    if (!is_begun && received.end == Receipt::End::replied) story += (story.empty() ? "" : ", ") + name;
    if (is_begun) sent_.pop_front(), is_begun_ = false;
    if (received.end != Receipt::End::replied) lose_worker(), --worker_;
    return received;
  }
  static Answer answer_to(const Job& job) {
    Answer answer = answer_with(job, {});
    if (auto* begun = std::get_if<BeginAnswer>(&answer)) begun->free_bytes = 1000;
    if (auto* tried = std::get_if<TryAnswer>(&answer)) tried->samples_ns = {1};
    if (auto* sampled = std::get_if<RoundsAnswer>(&answer))
      for (const InstanceId id : std::get<Rounds>(job).slots)
        sampled->samples_ns.push_back(id == device_copy ? copy_ns : static_cast<double>(id));
    return answer;
  }
  void lose_worker() {
    sent_.clear();
    is_begun_ = false;
    ++worker_;
  }
  // "= ok", "= fault of 1 after 2"
  void tell(Result result) {
    const Status* const status = status_of(result.answer);
    story += result.error ? " = error" : " = " + std::string(status == nullptr ? "done" : to_text(status->verdict));
    if (result.failed) story += " of " + std::to_string(*result.failed);
    if (result.deaths > 0 && !result.error) story += " after " + std::to_string(result.deaths);
    results.push_back(std::move(result));
  }

  LaneState state_;
  std::vector<Fault> faults_;
  std::deque<Job> sent_;
  bool is_begun_ = false;
  int worker_ = 1;
  std::uint64_t last_ = 0;
  double now_ = 0;
};

class LaneRules : public testing::TestWithParam<Row> {};

TEST_P(LaneRules, Hold) {
  const Row& row = GetParam();
  const std::vector<std::string> jobs = split(row.jobs, ": ");
  Scene scene(jobs.size() > 1 ? jobs.front() : "", row.isolates);
  scene.play(jobs.back(), row.faults);
  EXPECT_EQ(scene.story, row.story);
  EXPECT_LE(scene.most_sent, 2u);
}

const Row rows[] = {
    // Deaths.
    {"ASecondAttemptThatPassesIsForgiven", "try 2", "try 2 dies", "try 2, begin, try 9, try 2#2 = ok after 1"},
    {"ASecondDeathIsTheVerdict", "try 2", "try 2 dies, try 2#2 is_late",
     "try 2, begin, try 9, try 2#2, begin, try 9 = timeout after 2"},
    {"AKillFromOutsideIsHeldAgainstItByHalf", "try 2", "try 2 is_killed, try 2#2 is_killed",
     "try 2, begin, try 9, try 2#2, begin, try 9 = fault after 1"},
    {"WhenTheKnownGoodJobFailsTwiceNoneIsBlamed", "try 2, try 3", "try 2 dies, try 9 dies always",
     "try 2, begin, try 9, begin, try 9 = error"},
    {"WhenItFailsInALivingWorkerNoneIsBlamed", "try 2", "try 2 dies, try 9 fails always",
     "try 2, begin, try 9, begin, try 9 = error"},
    {"WhenTheDataCannotBeMadeAgainNoneIsBlamed", "try 2", "try 2 dies, begin breaks always",
     "try 2, begin, begin = error"},
    {"AKnownGoodJobThatFailsOnceBlamesNothing", "try 2", "try 2 dies, try 9 dies",
     "try 2, begin, try 9, begin, try 9, try 2#2 = ok after 1"},
    {"AVerdictNeedsAKnownGoodJobThatWorks", "try 2", "try 2 dies, try 2#2 dies, try 9 dies always from 3",
     "try 2, begin, try 9, try 2#2, begin, try 9, begin, try 9 = error"},
    {"ADeathBetweenTwoJobsBlamesNone", "try 2", "try 2 is_not_begun", "begin, try 9, try 2 = ok"},
    {"AJobThatWorkersKeepDyingBeforeIsBlamed", "try 2", "try 2 is_not_begun always, try 2#2 is_not_begun always",
     "begin, try 9, begin, try 9, begin, try 9, begin, try 9 = fault after 2"},
    {"AStickyStatusIsADeathAndNotTheNextJobs", "try 2, try 1", "try 2 is_sticky",
     "try 2, begin, try 9, try 2#2 = ok after 1, try 1 = ok"},
    {"AnotherFailureIsNone", "try 2, try 1", "try 2 fails", "try 2 = resources, try 1 = ok"},
    {"WhatIsNeededIsLoadedIntoAFreshWorker", "1 2: try 3, rounds 1, rounds 1, release 2", "try 3 dies",
     "try 3, begin, try 9, try 3#2 = ok after 1, load 1, rounds 1 = ok, rounds 1 = ok, release 2 = done"},
    {"WhatDiesWhileItIsLoadedAgainHasASecondChance", "1: try 3, rounds 1", "try 3 dies, load 1 dies",
     "try 3, begin, try 9, try 3#2 = ok after 1, load 1, begin, try 9, load 1#2, rounds 1 = ok after 1"},
    {"WhatDiesTwiceWhileItIsLoadedAgainIsBlamed", "1: try 3, rounds 1", "try 3 dies, load 1 dies, load 1#2 dies",
     "try 3, begin, try 9, try 3#2 = ok after 1, load 1, begin, try 9, load 1#2, begin, try 9 = fault of 1 after 2"},
    {"WhatFailsWhenItIsLoadedAgainHasThatVerdict", "1: try 3, rounds 1", "try 3 dies, load 1 fails",
     "try 3, begin, try 9, try 3#2 = ok after 1, load 1 = resources of 1"},
    {"DeathsAddUpOverJobs", "1: rounds 1 1, check 1", "rounds 1 1 dies, check 1 dies",
     "rounds 1 1, begin, try 9, load 1#2, rounds 1 1 = ok after 1, check 1, begin, try 9 = fault of 1 after 2"},
    {"DeathsAddUpOverInstances", "try 1, load 11, rounds 11", "try 1 dies, rounds 11 dies",
     "try 1, begin, try 9, try 1#2 = ok after 1, load 11 = ok after 1, rounds 11, begin, try 9 = fault of 11 after 2"},
    {"WhatHasItsVerdictIsNotLoadedAgain", "1 2: rounds 1, rounds 1, rounds 1 2, rounds 2", "rounds 1 dies always",
     "rounds 1, begin, try 9, load 1#2, rounds 1, begin, try 9 = fault of 1 after 2 = fault of 1 after 2 = fault of 1 "
     "after 2, load 2, rounds 2 = ok"},
    {"ADeathAmongSeveralBlamesNoneAndTheyStayApart", "1 2: rounds 1 2 1, rounds 1 2", "rounds 1 2 1 dies",
     "rounds 1 2 1, begin, try 9, load 1, rounds 1 1, load 2, rounds 2 = ok, rounds 1, rounds 2 = ok"},
    {"WhatDiesAloneAfterwardsIsBlamed", "1 2: rounds 1 2 1, rounds 1 1", "rounds 1 2 1 dies, rounds 2 dies",
     "rounds 1 2 1, begin, try 9, load 1, rounds 1 1, load 2, rounds 2, begin, try 9 = fault of 2 after 2, load 1, "
     "rounds 1 1 = ok"},
    {"WhatIsApartHasASecondChanceAndNoThird", "1 2 3: rounds 1 2, rounds 1 3, rounds 1 3",
     "rounds 1 2 dies, rounds 3 dies twice",
     "rounds 1 2, begin, try 9, load 1, rounds 1, load 2, rounds 2 = ok, rounds 1, load 3, rounds 3, begin, try 9, "
     "load 3#2, rounds 3, begin, try 9 = fault of 3 after 2, load 1, rounds 1 = fault of 3 after 2"},
    // What kills after many samples survives the few of one more attempt: where all do, the death counts.
    {"ADeathAmongSeveralCountsWhereNoneDiesAlone", "1 2: rounds 1 2, rounds 1",
     "rounds 1 2 dies, rounds 1 dies from 3, rounds 2 changes",
     "rounds 1 2, begin, try 9, load 1, rounds 1, load 2, rounds 2 = ok, begin, load 1, rounds 1, begin, try 9 = fault "
     "of 1 after 2"},
    {"ADeathAmongSeveralDoesNotCountWhereAnotherDiesAlone", "1 2: rounds 1 2, rounds 1",
     "rounds 1 2 dies, rounds 2 dies, rounds 1 dies from 3",
     "rounds 1 2, begin, try 9, load 1, rounds 1, load 2, rounds 2, begin, try 9 = fault of 2 after 2, load 1, rounds "
     "1, begin, try 9, load 1#2, rounds 1 = ok after 1"},
    {"ADeathOfAReleaseIsNotTheNextJobs", "1: release 1, try 2", "release 1 dies",
     "release 1 = done, begin, try 2 = ok"},
    {"ADeathWhileTheDeviceIsOpenedIsForgivenOnce", "open", "open dies", "open, begin, open = done"},
    {"ADeathWhileTheDeviceIsOpenedTwiceIsAnError", "open", "open dies twice", "open, begin, open = error"},
    {"ADeathOfTheReferenceIsForgivenOnce", "begin, try 1", "begin dies", "begin, begin = done, try 1 = ok"},
    {"ADeathOfTheReferenceTwiceIsAnError", "begin", "begin is_late always", "begin, begin = error"},
    {"AnAnswerOfAnotherKindEndsAll", "try 1, try 2", "try 1 lies", "try 1 = error"},
    {"AFailureIsAnAnswer", "try 1, try 2", "try 1 breaks", "try 1 = done, try 2 = ok"},
    {"WithoutAProcessOfItsOwnAStickyStatusIsDelivered", "try 2", "try 2 is_sticky", "try 2 = fault after 1", false},
    // Failures and changes of a worker that lives.
    {"WhatWasSentAheadIsDoneByAFreshWorker", "try 2, try 1", "try 2 changes", "try 2 = ok, begin, try 1 = ok"},
    {"SoIsWhatWasSentAheadOfTheSameInstance", "1: rounds 1, rounds 1 1", "rounds 1 changes",
     "rounds 1 = ok, begin, load 1, rounds 1 1 = ok"},
    {"SeveralAreSampledApart", "1 2: rounds 1 2", "rounds 1 2 changes",
     "rounds 1 2, begin, load 1, rounds 1, load 2, rounds 2 = ok"},
    {"WhatChangesItWhenItIsLoadedIsAlone", "load 1, load 2, rounds 1 2, rounds 1", "load 1 changes always",
     "load 1 = ok, begin, load 2 = ok, load 1, rounds 1, begin, load 2, rounds 2 = ok, load 1, rounds 1 = ok"},
    {"AKnownGoodJobThatChangesItLeavesAFreshOne", "try 2", "try 2 dies, try 9 changes",
     "try 2, begin, try 9, begin, try 2#2 = ok after 1"},
    {"SamplesThatAreTooFewAreTakenAgainApart", "1 2: rounds 1 2, rounds 2 1", "rounds 1 2 lacks_one",
     "rounds 1 2, rounds 2 1 = ok, rounds 1, rounds 2 = ok"},
    {"SamplesThatCannotBeAreTakenAgainApart", "1 2: rounds 1 2, rounds 2 1", "rounds 1 2 has_zero",
     "rounds 1 2, rounds 2 1 = ok, rounds 1, rounds 2 = ok"},
    {"WhatFailsApartIsNamed", "1 2: rounds 1 2", "rounds 1 2 fails, rounds 2 fails",
     "rounds 1 2, rounds 1, rounds 2 = resources of 2"},
    {"AWorkerThatLostHalfOfItsMemoryIsReplaced", "try 1, try 2, try 3", "try 1 leaks",
     "try 1 = ok, try 2 = ok, begin, try 3 = ok"},
    {"WithoutAProcessOfItsOwnNothingIsReplaced", "try 2, try 1", "try 2 changes", "try 2 = ok, try 1 = ok", false},
    // Copies within the device's memory.
    {"ADeathAmongACopyAndAnInstanceBlamesNone", "1: rounds copy 1 copy", "rounds 1 dies",
     "rounds 1, begin, try 9, rounds, load 1, rounds 1 = ok"},
    {"WhatDiesWithoutTheCopyIsBlamedAndTheCopyIsNot", "2: rounds copy 2", "rounds 2 dies twice",
     "rounds 2, begin, try 9, rounds, load 2, rounds 2, begin, try 9 = fault of 2 after 2"},
    {"ADeathOfCopiesAloneIsTheDevicesFault", "rounds copy", "rounds dies", "rounds = error"},
    {"ADeathOfCopiesAfterOneAmongSeveralIsToo", "1: rounds 1 copy", "rounds 1 dies, rounds dies",
     "rounds 1, begin, try 9, load 1, rounds 1, rounds = error"},
};
INSTANTIATE_TEST_SUITE_P(, LaneRules, testing::ValuesIn(rows), [](const auto& row) { return row.param.name; });

std::string error_of(const Result& result) {
  try {
    std::rethrow_exception(result.error);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(LaneState, SaysWhatFailed) {
  const char* const errors[][3] = {
      {"try 2", "try 2 dies, try 9 dies always", "no configuration is blamed: after c2 of"},
      {"begin", "begin is_late always", "two device workers did not end"},
      {"open", "open dies always", "does not start, in two attempts"},
      {"rounds copy", "rounds dies", "a copy within the device's memory fails: the device worker died: as the test"},
  };
  for (const auto& [job, faults, text] : errors) {
    Scene scene;
    scene.play(job, faults);
    EXPECT_THAT(error_of(scene.results.at(0)), HasSubstr(text));
  }
}

TEST(LaneState, SamplesTakenApartComeInTheOrderOfTheSlots) {
  Scene scene("1 2");
  scene.play("rounds 2 1 copy 2", "rounds 2 1 2 dies");
  EXPECT_THAT(std::get<RoundsAnswer>(scene.results.at(0).answer).samples_ns, ElementsAre(2, 1, copy_ns, 2));
}

TEST(LaneState, ResultsSayWhatTheyTook) {
  Scene scene("1 2");
  scene.play("try 3, rounds 1 2, try 2", "try 3 dies, rounds 1 2 is_late, try 2 changes");
  const Result &died = scene.results.at(0), &late = scene.results.at(1), &quiet = scene.results.at(2);
  EXPECT_EQ(died.attempt, 2);
  EXPECT_EQ(died.worker, 2);
  EXPECT_GT(died.lost_seconds, 0);
  EXPECT_LT(died.lost_seconds, died.seconds);
  EXPECT_THAT(died.notes,
              ElementsAre("c3: the device worker died: as the test says; tried once more in a fresh worker"));
  EXPECT_EQ(late.worker, 3);
  EXPECT_GT(late.lost_seconds, 0);
  EXPECT_THAT(late.notes, ElementsAre("one of several that were sampled together: did not end: as the test says; "
                                      "sampled one at a time from here: c1; c2"));
  EXPECT_EQ(quiet.lost_seconds, 0);
  EXPECT_THAT(quiet.notes, ElementsAre("c2: changed its worker (descriptor 6 closed); a fresh one goes on"));
  scene.play("begin, try 1", "");
  EXPECT_EQ(scene.results.back().worker, 1) << "counted from the problem's begin";
}

TEST(LaneState, AWorkerHasTimeToOpenItsDeviceOnceAndLittleBetweenJobs) {
  Scene scene;
  scene.play("try 2, try 3", "try 2 dies");
  EXPECT_EQ(scene.to_begin.at("try 3"), Deadlines::take_seconds) << "from when the worker comes to it";
  EXPECT_EQ(scene.to_begin.at("try 2"), Deadlines::take_seconds);
  EXPECT_EQ(scene.to_begin.at("begin"), Deadlines::open_seconds) << "of a fresh one";
}

TEST(LaneState, AConfigurationMayHaveOneChance) {
  LaneState state(true);
  state.set_deaths_to_verdict(1);
  state.submit({}, try_of(1));
  EXPECT_EQ(state.next(0).sends.size(), 1u);
  state.receive({Receipt::End::replied, {.answer = StartNotice{}}, {}}, 1);
  state.receive({Receipt::End::died, {}, "x"}, 2);
  const LaneActions actions = state.next(3);
  EXPECT_TRUE(actions.replaces_worker);
  EXPECT_EQ(actions.results.at(0).deaths, 1);
}

}  // namespace
}  // namespace attune
