// What a session tries first: the order of records, and which are left out.
#include "session/warm_start.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "subject/kernel_warm_start.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

DeviceInfo device(const char* name, int capability, int multiprocessors) {
  DeviceInfo info;
  info.name = name;
  info.compute_capability = capability;
  info.multiprocessors = multiprocessors;
  return info;
}

Problem problem(std::int64_t n, const char* type = "float") { return {{"n", n}, {"T", type}}; }

class WarmStart : public testing::Test {
 protected:
  WarmStart() {
    spec_.name = "reduce";
    spec_.problem = {{"n", ProblemKind::size, {}, {}, {}}, {"T", ProblemKind::type, {"float", "double"}, {}, {}}};
    spec_.fingerprints = {"code", "contract", "space"};
  }
  // Its configuration is the number by which tests know it.
  Record record(int number, const Problem& of, const DeviceInfo& on) const {
    Record record;
    record.uuid = "uuid" + std::to_string(number);
    record.key = {"reduce", "code", "contract", on.class_key(), of, "cold", "time"};
    record.compute_capability = on.compute_capability;
    record.multiprocessors = on.multiprocessors;
    record.configuration = {{"A", number}};
    return record;
  }
  std::vector<std::int64_t> numbers(std::vector<Record> records, std::size_t most = most_warm_starts) const {
    std::vector<std::int64_t> found;
    for (const Row& row : warm_start(ranked_for_warm_start(request_, records), space_, most))
      found.push_back(space_.configuration(row).at("A").integer());
    return found;
  }

  KernelSpec spec_;
  const Problem problem_ = problem(1024);
  const DeviceInfo h200_ = device("NVIDIA H200", 90, 132), h100_ = device("NVIDIA H100", 90, 114),
                   gh_ = device("NVIDIA GH", 90, 66), a100_ = device("NVIDIA A100", 80, 108),
                   v100_ = device("NVIDIA V100", 70, 80);
  const MatchRequest request_{spec_, problem_, h200_, "reduce"};
  const SearchSpace space_{{{"A", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}}, {"A != 5"}};
};

// Each list is in the opposite order of what is expected.
TEST_F(WarmStart, NearerProblemsComeFirstThenNearerDevices) {
  const auto expect_reversed = [this](const char* rule, const std::vector<std::pair<Problem, DeviceInfo>>& relatives) {
    std::vector<Record> records;
    std::vector<std::int64_t> expected;
    for (const auto& [of, on] : relatives) {
      const int number = static_cast<int>(records.size()) + 1;
      records.push_back(record(number, of, on));
      expected.insert(expected.begin(), number);
    }
    EXPECT_EQ(numbers(records), expected) << rule;
  };
  expect_reversed("without records", {});
  expect_reversed(
      "near problems, far ones, other types",
      {{problem(1024, "double"), h200_}, {problem(1 << 20), h200_}, {problem(256), h200_}, {problem(2048), h200_}});
  expect_reversed("other problems before other devices", {{problem_, h100_}, {problem(1 << 30, "double"), h200_}});
  expect_reversed("siblings before others, near ones before far ones",
                  {{problem_, v100_}, {problem_, a100_}, {problem_, gh_}, {problem_, h100_}});
  expect_reversed("elsewhere the problem counts more", {{problem(4096), h100_}, {problem_, gh_}});
  expect_reversed("this very problem", {{problem(1025), h200_}, {problem_, h200_}});
}

TEST_F(WarmStart, WhatIsNotLegalHereIsLeftOutNotRepaired) {
  Record unknown = record(6, problem(2048), h200_);
  unknown.configuration = {{"A", 99}};
  Record other_names = record(7, problem(2048), h200_);
  other_names.configuration = {{"B", 1}};
  Record more_names = record(8, problem(2048), h200_);
  more_names.configuration = {{"A", 1}, {"B", 1}};
  EXPECT_THAT(numbers({record(5, problem(2048), h200_), unknown, other_names, more_names, record(9, problem_, a100_)}),
              ElementsAre(9));
}

TEST_F(WarmStart, EachConfigurationOnceAndNotTooMany) {
  std::vector<Record> records;
  for (int i = 0; i < 30; ++i) records.push_back(record(1 + i % 12, problem(2000 + i), h200_));
  const auto found = numbers(records);
  EXPECT_EQ(found.size(), most_warm_starts);
  EXPECT_THAT(found, ElementsAre(1, 2, 3, 4, 6, 7, 8, 9));
  EXPECT_THAT(numbers(records, 2), ElementsAre(1, 2));
}

TEST_F(WarmStart, NothingOfAnotherCodeContractOrKindOfDevice) {
  Record other_code = record(1, problem(2048), h200_), other_contract = record(2, problem(2048), h200_);
  other_code.key.code = "else";
  other_contract.key.contract = "else";
  DeviceInfo host = device("CPU", 0, 8);
  host.kind = "host";
  EXPECT_THAT(numbers({other_code, other_contract, record(3, problem_, host)}), ElementsAre());
}

TEST_F(WarmStart, DoesNotDependOnTheOrderOfRecords) {
  std::vector<Record> records;
  for (int i = 1; i <= 12; ++i)
    records.push_back(record(i, problem(i % 3 == 0 ? 1024 : 1000 * (i % 4)), i % 2 == 0 ? h100_ : a100_));
  const auto expected = numbers(records);
  std::mt19937_64 random(3);
  for (int i = 0; i < 20; ++i) {
    std::shuffle(records.begin(), records.end(), random);
    EXPECT_EQ(numbers(records), expected);
  }
}

TEST_F(WarmStart, ExperienceHoldsWhatIsLegalHereRelativeToTheAnchor) {
  Trial good, failed, elsewhere;
  good.configuration = {{"A", 3}};
  good.measurement.median_ns = 50;
  good.anchor_ns = 100;
  good.compile_ms = 250;
  failed.configuration = {{"A", 4}};
  failed.verdict = Verdict::compile_error;
  elsewhere.configuration = {{"A", 5}};
  const std::vector<Trial> trials = {good, failed, elsewhere};
  const Experience experience = experience_of("there", trials, space_);
  ASSERT_EQ(experience.trials.size(), 2u);
  EXPECT_EQ(experience.trials[0].first, Row{2});
  EXPECT_TRUE(experience.trials[0].second.valid);
  EXPECT_DOUBLE_EQ(experience.trials[0].second.objective, 0.5);
  EXPECT_DOUBLE_EQ(experience.trials[0].second.seconds, 0.25);
  EXPECT_FALSE(experience.trials[1].second.valid);
}

}  // namespace
}  // namespace attune
