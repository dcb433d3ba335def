// What `attune tune` does about ceilings on a GPU, here on the host device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/attune/calibrate.hpp"
#include "attune/error.hpp"

namespace attune::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Notes final : public Observer {
 public:
  void note(const std::string& text) override { texts.push_back(text); }
  std::vector<std::string> texts;
};

// A device without a compiler.
class Bare final : public Workers {
 public:
  explicit Bare(Device& device) : own_(device) {}
  Transport& device() override { return own_.device(); }
  std::shared_ptr<Compiler> compiler() override { throw Error("there is no compiler"); }

 private:
  LocalWorkers own_;
};

// A device with another process on it, as its worker tells.
class Crowded final : public Workers {
 public:
  explicit Crowded(Device& device) : own_(device), transport_(own_.device()) {}
  Transport& device() override { return transport_; }
  std::shared_ptr<Compiler> compiler() override { return own_.compiler(); }

 private:
  class Told final : public Transport {
   public:
    explicit Told(Transport& real) : real_(real) {}
    Heard ask(const Request& request, double seconds) override {
      Heard heard = real_.ask(request, seconds);
      heard.reply.watched.users = {"python3 (4711)"};
      return heard;
    }
    void restart() override { real_.restart(); }
    int started() const noexcept override { return real_.started(); }

   private:
    Transport& real_;
  };
  LocalWorkers own_;
  Told transport_;
};

class EnsureCeilings : public testing::Test {
 protected:
  std::vector<Ceiling> kept() { return store_.ceilings(device_->info().class_key()); }

  std::unique_ptr<Device> device_ = open_device("host");
  LocalWorkers workers_{*device_};
  WisdomStore store_{":memory:"};
  Notes notes_;
  std::atomic<int> stop_{0};
};

TEST_F(EnsureCeilings, CalibratesADeviceOnceAndSaysSo) {
  ensure_ceilings(workers_, store_, notes_, stop_);
  EXPECT_EQ(kept().size(), 7u);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("calibrating " + device_->info().name)));
  notes_.texts.clear();
  ensure_ceilings(workers_, store_, notes_, stop_);
  EXPECT_THAT(notes_.texts, IsEmpty());
}

TEST_F(EnsureCeilings, CalibratesAgainForAnotherDriver) {
  store_.put_ceilings(device_->info(), std::vector<Ceiling>{{"copy", 1, "B/s", "x", "another driver", "0.1.0", 1}});
  ensure_ceilings(workers_, store_, notes_, stop_);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("once for this driver")));
  EXPECT_EQ(kept().size(), 7u);
}

// Somebody else's process is on the device.
TEST_F(EnsureCeilings, KeepsNothingOfADeviceThatIsDisturbed) {
  Crowded crowded(*device_);
  ensure_ceilings(crowded, store_, notes_, stop_);
  EXPECT_THAT(notes_.texts,
              ElementsAre(HasSubstr("calibrating"), HasSubstr("not kept, they may be too low (python3 (4711))")));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EnsureCeilings, NotesWhatGoesWrongAndThrowsNothing) {
  Bare bare(*device_);
  ensure_ceilings(bare, store_, notes_, stop_);
  EXPECT_THAT(notes_.texts, ElementsAre(HasSubstr("calibrating"), HasSubstr("there is no compiler")));
  EXPECT_THAT(kept(), IsEmpty());
}

TEST_F(EnsureCeilings, KeepsNothingOfACalibrationThatIsInterrupted) {
  stop_ = 1;
  ensure_ceilings(workers_, store_, notes_, stop_);
  EXPECT_THAT(kept(), IsEmpty());
}

}  // namespace
}  // namespace attune::cli
