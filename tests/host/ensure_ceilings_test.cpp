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
