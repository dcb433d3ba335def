// What `attune tune` does about ceilings on a GPU, here on the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/attune/calibrate.hpp"
#include "attune/error.hpp"
#include "support/notes.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/kernel_runner.hpp"

namespace attune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A device without a compiler.
class Bare final : public Workers {
 public:
  explicit Bare(Device& device) : own_(device) {}
  std::unique_ptr<Transport> device_worker(LaneId lane) override { return own_.device_worker(lane); }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override { throw Error("there is no compiler"); }

 private:
  LocalWorkers own_;
};

// A device with another process on it, as its worker reports.
class Crowded final : public Workers {
 public:
  explicit Crowded(Device& device) : device_(device), own_(device) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    const auto server = std::make_shared<DeviceServer>(kernel_testbed(device_));
    return std::make_unique<DirectTransport>([server](const Job& job) {
      Reply reply = server->answer(job);
      reply.watched.users = {"python3 (4711)"};
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override { return own_.compile_worker(device); }

 private:
  Device& device_;
  LocalWorkers own_;
};

class EnsureCeilings : public testing::Test {
 protected:
  std::vector<Ceiling> kept() { return store_.ceilings(device_->info().class_key()); }

  std::unique_ptr<Device> device_ = open_device("host");
  LocalWorkers workers_{*device_};
  Pool pool_{workers_};
  WisdomStore store_{":memory:"};
  Notes notes_;
  std::atomic<int> stop_{0};
};

TEST_F(EnsureCeilings, CalibratesADeviceOnceAndSaysSo) {
  ensure_ceilings(pool_, store_, notes_, "", stop_);
  EXPECT_EQ(kept().size(), 7u);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("calibrating " + device_->info().name)));
  notes_.texts.clear();
  ensure_ceilings(pool_, store_, notes_, "", stop_);
  EXPECT_THAT(notes_.texts, IsEmpty());
}

TEST_F(EnsureCeilings, CalibratesAgainForAnotherDriver) {
  store_.put_ceilings(device_->info(), std::vector<Ceiling>{{"copy", 1, "B/s", "x", "another driver", "0.1.0", 1}});
  ensure_ceilings(pool_, store_, notes_, "", stop_);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("once for this driver")));
  EXPECT_EQ(kept().size(), 7u);
}

TEST_F(EnsureCeilings, KeepsNothingOfADeviceThatIsDisturbed) {
  Crowded crowded(*device_);
  Pool pool(crowded);
  ensure_ceilings(pool, store_, notes_, "", stop_);
  EXPECT_THAT(notes_.texts,
              ElementsAre(HasSubstr("calibrating"), HasSubstr("not kept, they may be too low (python3 (4711))")));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EnsureCeilings, NotesWhatGoesWrongAndThrowsNothing) {
  Bare bare(*device_);
  Pool pool(bare);
  ensure_ceilings(pool, store_, notes_, "", stop_);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("calibrating"), HasSubstr("there is no compiler")));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EnsureCeilings, KeepsNothingOfACalibrationThatIsInterrupted) {
  stop_ = 1;
  ensure_ceilings(pool_, store_, notes_, "", stop_);
  EXPECT_THAT(kept(), IsEmpty());
}

}  // namespace
}  // namespace attune::cli
