// Configurations and a device copy side by side, on the host device.
#include "session/side_by_side.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/notes.hpp"
#include "worker/device_copy.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/kernel_runner.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

// A device worker in this process. A test sees its jobs and may replace its answers.
class SeenWorkers final : public Workers {
 public:
  explicit SeenWorkers(Device& device) : device_(device), own_(device) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    const auto server = std::make_shared<DeviceServer>(kernel_testbed(device_));
    return std::make_unique<DirectTransport>([this, server](const Job& job) {
      Reply reply = server->answer(job);
      jobs.push_back(job);
      if (change) change(job, reply);
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override { return own_.compile_worker(device); }
  std::vector<Job> jobs;
  std::function<void(const Job&, Reply&)> change;

 private:
  Device& device_;
  LocalWorkers own_;
};

class SideBySideTest : public testing::Test {
 protected:
  SideBySideTest() {
    request_.default_configuration = configuration(64, 1);
    request_.protocol.warm_up_ms = 1;
    set_rounds(6);
    add(Regime::cold);
  }
  static Configuration configuration(int block, int items) { return {{"BLOCK", block}, {"ITEMS", items}}; }
  void set_rounds(int rounds) {
    request_.protocol.final_rounds_max = rounds;
    request_.protocol.settled_log_ratio = -1;
  }
  void add(Regime regime) {
    request_.tasks.push_back({regime, {{"default", configuration(64, 1)}, {"1", configuration(32, 2)}}});
  }
  std::vector<SideBySide> run() {
    Pool pool(workers_);
    const KernelSubject subject(spec_, make_problem(spec_, problem_, "host"), pool.device().info);
    return measure_side_by_side(request_, subject, pool, notes_, stop_);
  }
  // The jobs that take samples of a copy.
  std::vector<Rounds> copies() const {
    std::vector<Rounds> found;
    for (const Job& job : workers_.jobs)
      if (const auto* rounds = std::get_if<Rounds>(&job);
          rounds && std::count(rounds->slots.begin(), rounds->slots.end(), device_copy))
        found.push_back(*rounds);
    return found;
  }

  std::unique_ptr<Device> device_ = open_device("host");
  SeenWorkers workers_{*device_};
  KernelSpec spec_ = load_kernel(ATTUNE_TEST_DATA "/kernels/scale.cu");
  Bindings problem_;
  SideBySideRequest request_;
  Notes notes_;
  std::atomic<int> stop_{0};
};

TEST_F(SideBySideTest, RowsHaveTimesAndSpeedUpsOverTheFirst) {
  const std::vector<SideBySide> all = run();
  ASSERT_THAT(all, SizeIs(1));
  ASSERT_THAT(all[0].rows, SizeIs(3));
  EXPECT_EQ(all[0].rounds, 6u);
  EXPECT_EQ(all[0].rows[0].speedup.value, 1);
  EXPECT_EQ(all[0].rows[0].speedup.interval.high, 1);
  for (const SideBySideRow& row : all[0].rows) {
    EXPECT_TRUE(row.status.ok()) << row.name;
    EXPECT_TRUE(row.time_ns.interval.contains(row.time_ns.value)) << row.name;
    EXPECT_TRUE(row.speedup.interval.contains(row.speedup.value)) << row.name;
    EXPECT_GT(row.time_ns.value, 0);
    EXPECT_THAT(row.steps, SizeIs(0));
  }
  EXPECT_TRUE(all[0].rows[2].is_copy);
  EXPECT_GT(all[0].rows[2].speedup.value, 1) << "a copy of 40 kB is faster than an emulated kernel";
  EXPECT_THAT(notes_.texts, SizeIs(0));
}

TEST_F(SideBySideTest, EveryRegimeHasItsSamplesAndItsCopy) {
  add(Regime::warm);
  add(Regime::stream);
  const std::vector<SideBySide> all = run();
  ASSERT_THAT(all, SizeIs(3));
  EXPECT_EQ(all[0].batch, 1);
  EXPECT_EQ(all[1].batch, 1);
  EXPECT_GT(all[2].batch, 1);
  for (const SideBySide& one : all) EXPECT_EQ(one.rounds, 6u) << to_text(one.regime);
  for (const Rounds& job : copies()) EXPECT_EQ(job.plan.copy_bytes, 2 * 5000 * sizeof(float));
  EXPECT_EQ(copies().back().plan.regime, Regime::stream);
  EXPECT_EQ(copies().back().plan.batch, all[2].batch);
}

TEST_F(SideBySideTest, WithoutBytesOrRoomThereIsNoCopyAndANoteSaysSo) {
  request_.copy = false;
  EXPECT_THAT(run()[0].rows, SizeIs(2));
  EXPECT_THAT(notes_.texts, SizeIs(0));
  request_.copy = true;
  workers_.change = [](const Job& job, Reply& reply) {
    const auto* const rounds = std::get_if<Rounds>(&job);
    if (rounds && rounds->slots == std::vector<InstanceId>{device_copy})
      reply.answer = Failure{Failure::Kind::out_of_memory, "no room for the device copy"};
  };
  EXPECT_THAT(run()[0].rows, SizeIs(2));
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("no room for the device copy")));
  workers_.change = nullptr;
  notes_.texts.clear();
  spec_.metrics.bytes.reset();
  EXPECT_THAT(run()[0].rows, SizeIs(2));
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("[metrics] of scale has no bytes")));
}

TEST_F(SideBySideTest, WhatFailsAmongTheRoundsLeavesAndTheOthersGoOn) {
  request_.protocol.ahead_seconds = 0;  // a job for each sample, however fast this machine is
  int left = 3;
  workers_.change = [&](const Job& job, Reply& reply) {
    const auto* const rounds = std::get_if<Rounds>(&job);
    if (!rounds || !std::count(rounds->slots.begin(), rounds->slots.end(), InstanceId{1}) || left-- > 0) return;
    reply.answer = RoundsAnswer{{Verdict::launch_error, "it is tired", false}, {}};
  };
  const std::vector<SideBySide> all = run();
  ASSERT_THAT(all[0].rows, SizeIs(3));
  EXPECT_EQ(all[0].rows[1].status.verdict, Verdict::launch_error);
  EXPECT_THAT(all[0].rows[1].status.detail, HasSubstr("it is tired"));
  EXPECT_EQ(all[0].rounds, 6u);
  EXPECT_TRUE(all[0].rows[0].status.ok());
  EXPECT_GT(all[0].rows[2].time_ns.value, 0);
}

TEST_F(SideBySideTest, AStopEndsTheRoundsAndKeepsThem) {
  add(Regime::warm);
  set_rounds(100'000);
  workers_.change = [this](const Job& job, Reply&) {
    if (std::holds_alternative<Rounds>(job) && workers_.jobs.size() > 60) stop_ = 1;
  };
  const std::vector<SideBySide> all = run();
  ASSERT_THAT(all, SizeIs(1)) << "the next regime is not begun";
  EXPECT_GT(all[0].rounds, 0u);
  EXPECT_LT(all[0].rounds, 100'000u);
  EXPECT_GT(all[0].rows[1].time_ns.value, 0);
}

TEST_F(SideBySideTest, AStreamWithoutRoomIsLeftOutAmongOthersAndAnErrorAlone) {
  workers_.change = [](const Job& job, Reply& reply) {
    const auto* const rounds = std::get_if<Rounds>(&job);
    if (rounds && rounds->plan.regime == Regime::stream && rounds->plan.batch > 1)
      reply.answer = Failure{Failure::Kind::out_of_memory, "there is room for 3"};
  };
  add(Regime::stream);
  EXPECT_THAT(run(), SizeIs(1));
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("stream is left out: there is room for 3")));
  request_.tasks.erase(request_.tasks.begin());
  EXPECT_THROW(run(), OutOfMemory);
}

TEST(DeviceCopy, MovesHalfOfItsBytesBetweenArraysOfItsOwn) {
  const std::unique_ptr<Device> device = open_device("host");
  const std::unique_ptr<DataTools> tools = open_data_tools(*device);
  DeviceCopy copy(*device, *tools, 4096);
  Sets sets;
  const Sampling alone = copy.sampling({.regime = Regime::cold, .batch = 50}, sets);
  ASSERT_THAT(sets, SizeIs(1));
  ASSERT_THAT(sets[0], SizeIs(1));
  const Operation& operation = sets[0].front();
  EXPECT_EQ(operation.bytes, 2048u);
  EXPECT_TRUE(alone.flush);
  EXPECT_EQ(alone.batch, 1);
  ASSERT_TRUE(open_instruments(*device)->take_samples(alone).status.ok());
  EXPECT_EQ(std::memcmp(operation.target, operation.source, 2048), 0);
  const auto* const bytes = static_cast<const unsigned char*>(operation.source);
  EXPECT_GT(std::set<int>(bytes, bytes + 2048).size(), 200u) << "they are random";
  EXPECT_FALSE(copy.sampling({.regime = Regime::warm}, sets).flush);
}

TEST(DeviceCopy, HasAsManyPairsInAStreamAsTheDataOfAKernel) {
  const std::unique_ptr<Device> device = open_device("host");
  const std::unique_ptr<DataTools> tools = open_data_tools(*device);
  for (const std::uint64_t bytes : {std::uint64_t{4096}, 2 * device->info().l2_bytes}) {
    DeviceCopy copy(*device, *tools, bytes);
    Sets sets;
    const Sampling stream = copy.sampling({.regime = Regime::stream, .batch = 50}, sets);
    const StreamSets wanted = stream_sets(bytes, 50, device->info().l2_bytes, 0);
    EXPECT_EQ(stream.batch, 50);
    EXPECT_EQ(stream.flush, wanted.flush);
    std::set<const void*> arrays;
    for (const std::span<const Operation> operations : sets) {
      arrays.insert(operations.front().source);
      arrays.insert(operations.front().target);
    }
    EXPECT_EQ(arrays.size(), 2 * wanted.count) << bytes;
  }
}

}  // namespace
}  // namespace attune
