#include "worker/recording_runner.hpp"

#include <fmt/format.h>

#include "worker/plain_runner.hpp"

namespace attune {
namespace {

class RecordingRunner final : public PlainRunner<std::size_t> {  // trials
 public:
  explicit RecordingRunner(Replay& replay) : PlainRunner(replay.recording().kernel, replay), replay_(replay) {}

  Status load(const InstanceLaunch& launch) override {
    const std::optional<std::size_t> trial = replay_.find(launch.configuration);
    if (!trial)
      return {Verdict::load_error,
              fmt::format("{} has no row for {}", replay_.recording().source, launch.configuration), false};
    Status status = replay_.load(*trial);
    if (status.ok()) keep(launch.instance, *trial);
    return status;
  }

  Status repeat(InstanceId instance, std::optional<bool>& deterministic) override {
    Status status = launch(loaded(instance));
    if (status.ok()) status = launch(loaded(instance));
    if (status.ok()) deterministic = true;
    return status;
  }

 private:
  Status launch(const std::size_t& trial) override { return replay_.launch(trial); }
  SingleTime time(const std::size_t& trial, int launches) override { return replay_.sample(trial, launches); }

  Replay& replay_;
};

class RecordingTestbed final : public Testbed {
 public:
  explicit RecordingTestbed(std::shared_ptr<Replay> replay) : replay_(std::move(replay)) {}
  const DeviceInfo& info() const noexcept override { return replay_->info(); }
  Instruments& instruments() noexcept override { return *replay_; }
  std::unique_ptr<Runner> begin(const TrialSetup&, const std::function<void()>& reference_begins) override {
    if (reference_begins) reference_begins();
    return std::make_unique<RecordingRunner>(*replay_);
  }

 private:
  const std::shared_ptr<Replay> replay_;
};

}  // namespace

std::unique_ptr<Testbed> recording_testbed(std::shared_ptr<Replay> replay) {
  return std::make_unique<RecordingTestbed>(std::move(replay));
}

}  // namespace attune
