// Peers of a kernel beside its configurations, on the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "kernel/problem.hpp"
#include "session/side_by_side.hpp"
#include "spec/kernel_file.hpp"
#include "support/notes.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/peer_library.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* library = ATTUNE_SCALE_PEERS;

template <typename Thrower>
std::string message_of(const Thrower& thrower) {
  try {
    thrower();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class PeersTest : public testing::Test {
 protected:
  PeersTest() {
    request_.default_configuration = Configuration{{"BLOCK", 64}, {"ITEMS", 1}};
    request_.protocol.warm_up_ms = 1;
    request_.protocol.final_rounds_max = 6;
    request_.protocol.settled_log_ratio = -1;
    request_.peers = {{"right", library}, {"wrong", library}, {"failing", library}};
  }
  SideBySide run(const std::string& problem, Regime regime = Regime::cold) {
    request_.tasks = {{regime, {{"default", request_.default_configuration}}}};
    Pool pool(workers_);
    const KernelSubject subject(spec_, parse_problem(spec_, problem, "host"), pool.device().info);
    return measure_side_by_side(request_, subject, pool, notes_, stop_).at(0);
  }

  std::unique_ptr<Device> device_ = open_device("host");
  LocalWorkers workers_{*device_};
  const KernelSpec spec_ = load_kernel(ATTUNE_TEST_DATA "/kernels/scale.cu");
  SideBySideRequest request_;
  Notes notes_;
  std::atomic<int> stop_{0};
};

TEST_F(PeersTest, ALibraryNamesThePeersOfAKernel) {
  EXPECT_THAT(peer_names(library, "scale"), ElementsAre("right", "wrong", "failing", "finished", "badly finished"));
  EXPECT_THAT(peer_names(library, "other"), ElementsAre("of another"));
  EXPECT_THAT(peer_names(library, "reduce"), SizeIs(0));
}

TEST_F(PeersTest, APeerIsARowWithTimesAndItsResultIsChecked) {
  for (const Regime regime : {Regime::cold, Regime::warm, Regime::stream}) {
    const SideBySide compared = run("n=5000 T=float", regime);
    ASSERT_THAT(compared.rows, SizeIs(5)) << to_text(regime);
    const SideBySideRow &right = compared.rows[1], &wrong = compared.rows[2], &failing = compared.rows[3];
    EXPECT_TRUE(right.is_peer && right.status.ok()) << right.status.detail;
    EXPECT_GT(right.speedup.value, 1) << "a loop is faster than an emulated kernel";
    EXPECT_TRUE(right.time_ns.interval.contains(right.time_ns.value));
    EXPECT_EQ(wrong.status.verdict, Verdict::wrong_result);
    EXPECT_THAT(wrong.status.detail, HasSubstr("argument `y`: "));
    EXPECT_EQ(failing.status.verdict, Verdict::launch_error);
    EXPECT_THAT(failing.status.detail, HasSubstr("failing: out of order"));
    EXPECT_TRUE(compared.rows[4].is_copy && compared.rows[4].status.ok());
    EXPECT_EQ(compared.base, "default");
  }
}

TEST_F(PeersTest, AResultIsBroughtIntoTheKernelsFormUntimed) {
  request_.peers = {{"finished", library}, {"badly finished", library}};
  for (const Regime regime : {Regime::cold, Regime::stream}) {
    const SideBySide compared = run("n=5000 T=float", regime);
    const SideBySideRow &finished = compared.rows[1], &bad = compared.rows[2];
    EXPECT_TRUE(finished.status.ok()) << finished.status.detail;
    EXPECT_LT(finished.time_ns.value, 10e6) << "the form is made in 20 ms";
    EXPECT_EQ(bad.status.verdict, Verdict::launch_error);
    EXPECT_THAT(bad.status.detail, HasSubstr("badly finished: out of order"));
  }
}

TEST_F(PeersTest, APeerThatDeclinesSaysWhyAndTheOthersGoOn) {
  const SideBySide compared = run("n=5000 T=int32");
  EXPECT_TRUE(compared.rows[0].status.ok());
  EXPECT_EQ(compared.rows[1].status.verdict, Verdict::restricted);
  EXPECT_THAT(compared.rows[1].status.detail, HasSubstr("right: it has float alone"));
}

TEST_F(PeersTest, SpeedUpsAreOverTheRowThatIsNamed) {
  request_.base = "right";
  const SideBySide compared = run("n=5000 T=float");
  EXPECT_EQ(compared.base, "right");
  EXPECT_EQ(compared.rows[1].speedup.value, 1);
  EXPECT_LT(compared.rows[0].speedup.value, 1);
  request_.base = "wrong";
  EXPECT_EQ(run("n=5000 T=float").base, "default") << "that one has no times";
}

TEST_F(PeersTest, WhatIsNoPeerLibraryIsAnErrorThatSaysSo) {
  EXPECT_THAT(message_of([] { peer_names("/nowhere/peers.so", "scale"); }),
              HasSubstr("cannot load the peer library /nowhere/peers.so"));
  EXPECT_THAT(message_of([] { peer_names("libm.so.6", "scale"); }), HasSubstr("exports no attune_peers()"));
  request_.peers = {{"gone", library}};
  EXPECT_THAT(message_of([this] { run("n=5000 T=float"); }), HasSubstr("has no peer `gone` of scale"));
}

}  // namespace
}  // namespace attune
