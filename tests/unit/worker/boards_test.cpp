// Which boards a text names, and what becomes of those that do not open. No driver is asked.
#include "worker/boards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "device/device.hpp"
#include "device/replay/replay.hpp"
#include "support/bowl.hpp"
#include "support/message_of.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/pool.hpp"
#include "worker/recording_runner.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

DeviceInfo board(int ordinal, const std::string& name = "NVIDIA H200") {
  DeviceInfo info;
  info.kind = "cuda";
  info.ordinal = ordinal;
  info.name = name;
  info.uuid = "GPU-" + std::to_string(ordinal);
  return info;
}

std::vector<DeviceInfo> four_boards() { return {board(0), board(1), board(2, "NVIDIA T4"), board(3)}; }
std::vector<DeviceInfo> no_question() { throw Error("no list was given"); }

std::string refusal(const std::string& devices) {
  return message_of<UsageError>([&] { boards_of(devices, four_boards); });
}

TEST(Boards, OfOneNameAreThatName) {
  for (const char* const name : {"cuda", "cuda:1", "host", "GPU-3", "MIG-7"})
    EXPECT_THAT(boards_of(name, no_question).names, ElementsAre(name));
}

TEST(Boards, OfAListAreNamedByTheirUuids) {
  EXPECT_THAT(boards_of("cuda:3,GPU-0", four_boards).names, ElementsAre("GPU-3", "GPU-0"));
  EXPECT_THAT(boards_of("cuda,cuda:1", four_boards).names, ElementsAre("GPU-0", "GPU-1"));
  EXPECT_THAT(boards_of("MIG-1,MIG-2", four_boards).names, ElementsAre("MIG-1", "MIG-2")) << "only a worker sees them";
}

TEST(Boards, OfAllAreThoseOfTheFirstOnesClass) {
  for (const char* const name : {"all", "cuda:all"}) {
    const Boards all = boards_of(name, four_boards);
    EXPECT_THAT(all.names, ElementsAre("GPU-0", "GPU-1", "GPU-3"));
    EXPECT_THAT(all.notes,
                ElementsAre("cuda:2 (NVIDIA T4, GPU-2) is left out: it is no NVIDIA H200, and a session is of "
                            "one class of devices"));
  }
}

TEST(Boards, OfAPartitionedGpuAreToBeNamed) {
  const Boards all = boards_of("all", [] {
    DeviceInfo part = board(0);
    part.mig_profile = "1g.18gb";
    return std::vector{part};
  });
  EXPECT_THAT(all.notes, ElementsAre(HasSubstr("--device MIG-...,MIG-...")));
}

TEST(Boards, ThatCannotBeUsedTogetherAreRefusedByName) {
  EXPECT_EQ(refusal("cuda:1,GPU-1"), "device GPU-1 stands twice in `cuda:1,GPU-1`: name each board once");
  EXPECT_EQ(refusal("MIG-1,MIG-1"), "device MIG-1 stands twice in `MIG-1,MIG-1`: name each board once");
  EXPECT_EQ(
      refusal("cuda:0,cuda:2"),
      "cuda:0 (NVIDIA H200, GPU-0) and cuda:2 (NVIDIA T4, GPU-2) are of two classes, and a session is of one: tune "
      "for each class by itself");
  EXPECT_THAT(refusal("cuda:0,cuda:4"), AllOf(HasSubstr("there is no device cuda:4"), HasSubstr("\n  cuda:3 (NVIDIA")));
  EXPECT_THAT(refusal("cuda:0,host"), HasSubstr("`host` in a list of devices: expected cuda:N or a UUID"));
  EXPECT_THAT(refusal("cuda:0,"), HasSubstr("`` in a list of devices"));
}

TEST(Boards, OfTheHostHaveOneLock) {
  const Boards two = boards_of("host,benches=2", no_question);
  EXPECT_THAT(two.names, ElementsAre("host", "host"));
  EXPECT_TRUE(two.are_one_device);
  EXPECT_FALSE(boards_of("host,benches=1", no_question).are_one_device);
  EXPECT_THAT(refusal("host,benches=0"), HasSubstr("a number from 1 to 64 after `benches=`"));
}

TEST(Boards, KnowTheirKind) {
  for (const char* const name : {"cuda", "cuda:1", "all", "cuda:all", "cuda:0,cuda:1", "GPU-1,GPU-2", "MIG-1"})
    EXPECT_EQ(kind_of_boards(name), "cuda") << name;
  EXPECT_EQ(kind_of_boards("host,benches=2"), "host");
}

TEST(Boards, AreRefusedWhereOneDeviceIsNeeded) {
  for (const char* const name : {"all", "cuda:all", "cuda:0,cuda:1", "GPU-0,GPU-1"})
    EXPECT_THAT(message_of<UsageError>([&] { open_device(name); }), HasSubstr("are several devices")) << name;
  EXPECT_THAT(message_of<UsageError>([] { open_device("GPU-none"); }),
              HasSubstr("this process sees no device GPU-none"));
}

// Workers of devices that a test describes. A device without a name does not open.
class DescribedWorkers final : public Workers {
 public:
  explicit DescribedWorkers(std::vector<DeviceInfo> infos) : infos_(std::move(infos)) {}
  LaneId device_workers() const override { return infos_.size(); }
  std::unique_ptr<Transport> device_worker(LaneId lane) override {
    const auto server = std::make_shared<DeviceServer>(recording_testbed(std::make_shared<Replay>(bowl())));
    return std::make_unique<DirectTransport>([info = infos_[lane], server](const Job& job) {
      Reply reply = server->answer(job);
      auto* const facts = std::get_if<DeviceFacts>(&reply.answer);
      if (facts != nullptr) facts->info = info;
      if (facts != nullptr && info.name.empty())
        reply.answer = Failure{Failure::Kind::error, "board " + info.uuid + " is in exclusive mode"};
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override { throw Error("nothing is compiled"); }

 private:
  const std::vector<DeviceInfo> infos_;
};

TEST(Boards, ThatDoNotOpenLeaveThePoolToTheOthers) {
  DescribedWorkers workers({board(0, ""), board(1), board(2, ""), board(3)});
  Pool pool(workers);
  const std::string why = " has no part in the session from here: board ";
  EXPECT_THAT(pool.open_all({"GPU-0", "GPU-1", "GPU-2", "GPU-3"}),
              ElementsAre("GPU-0" + why + "GPU-0 is in exclusive mode", "GPU-2" + why + "GPU-2 is in exclusive mode"));
  ASSERT_EQ(pool.lanes(), 2u);
  EXPECT_EQ(pool.device().info.uuid, "GPU-1");
  EXPECT_EQ(pool.device(1).info.uuid, "GPU-3");
  EXPECT_FALSE(pool.has_lost_device(1));
  EXPECT_EQ(std::get<DeviceFacts>(pool.run(OpenDevice{}, 1).answer).info.uuid, "GPU-3") << "lanes have new numbers";
}

TEST(Boards, OfWhichNoneOpensAreTheErrorOfTheFirst) {
  DescribedWorkers workers({board(0, ""), board(1, "")});
  Pool pool(workers);
  EXPECT_EQ(message_of<Error>([&] { pool.open_all({}); }), "board GPU-0 is in exclusive mode");
}

TEST(Boards, ThatWorkersOpenedAreComparedToo) {
  DescribedWorkers mixed({board(0), board(1, "NVIDIA T4")}), twice({board(1), board(1)});
  Pool of_mixed(mixed), of_twice(twice);
  EXPECT_THAT(message_of<UsageError>([&] { of_mixed.open_all({}); }), HasSubstr("are of two classes"));
  EXPECT_THAT(message_of<UsageError>([&] { of_twice.open_all({}); }), HasSubstr("two workers opened cuda:1"));
}

TEST(Boards, ThatDoNotOpenHaveANumberWhereTheyHaveNoName) {
  DescribedWorkers workers({board(0), board(1, "")});
  Pool pool(workers);
  EXPECT_THAT(pool.open_all({"replay:bowl.json,benches=2"}),
              ElementsAre("device 2 has no part in the session from here: board GPU-1 is in exclusive mode"));
}

TEST(Boards, OfPartsThatOnlyTheirWorkersSawAreOfOneClass) {
  DeviceInfo small = board(0), large = board(1);
  small.mig_profile = "1g.18gb";
  large.mig_profile = "3g.71gb";
  EXPECT_THAT(message_of<UsageError>([&] {
                require_one_class(std::vector{small, large});
              }),
              AllOf(HasSubstr(board_text(small)), HasSubstr(board_text(large)), HasSubstr("tune for each class")));
  require_one_class({});
}

TEST(Boards, OfNoGpuSayWhatToLookAt) {
  EXPECT_THAT(message_of<Error>([] { boards_of("all", [] { return std::vector<DeviceInfo>(); }); }),
              HasSubstr("look at $CUDA_VISIBLE_DEVICES"));
}

}  // namespace
}  // namespace attune
