// A device worker whose transport does what a test says: a replay device behind it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "attune/error.hpp"
#include "db/recording_file.hpp"
#include "device/replay/replay_device.hpp"
#include "worker/direct_transport.hpp"
#include "worker/trial_worker.hpp"

namespace attune {
inline Recording bowl() { return load_recordings(ATTUNE_TEST_DATA "/recordings/bowl.json").at(0); }

// "open", "begin", "check", ...
inline const char* name_of(const Request& request) {
  constexpr const char* names[] = {"open",    "begin", "load",  "check",   "sample",        "in turn", "fill",
                                   "recheck", "warm",  "meter", "release", "open compiler", "compile"};
  static_assert(std::size(names) == std::variant_size_v<Request>);
  return names[request.index()];
}

class ScriptedTransport final : public Transport {
 public:
  Heard ask(const Request& request, double seconds) override {
    if (!worker_) start();
    seen.emplace_back(name_of(request));
    deadline = seconds;
    if (const auto* load = std::get_if<LoadTrial>(&request)) attempt = load->launch.attempt;
    const Heard::End end = ends ? ends(seen.back(), started_) : Heard::End::replied;
    if (end != Heard::End::replied) {
      worker_.reset();
      return {end, {}, "as the test says"};
    }
    Heard heard = worker_->ask(request, seconds);
    if (change) change(heard.reply);
    return heard;
  }
  void restart() override { worker_.reset(); }
  int started() const noexcept override { return started_; }

  // How a request ends, in the n-th worker; what its answer becomes.
  std::function<Heard::End(const std::string& request, int worker)> ends;
  std::function<void(Reply&)> change;
  std::vector<std::string> seen;
  double deadline = 0;
  int attempt = 0;

 private:
  void start() {
    device_ = make_replay_device(bowl());
    worker_ = std::make_unique<DirectTransport>(*device_);
    ++started_;
  }
  std::unique_ptr<Device> device_;
  std::unique_ptr<DirectTransport> worker_;
  int started_ = 0;
};

class TrialWorkerTest : public testing::Test {
 protected:
  TrialWorkerTest() : recording_(bowl()), spec_(replay_kernel(recording_)), device_(make_replay_device(recording_)) {}

  TrialWorker& worker() {
    if (!worker_)
      worker_ = std::make_unique<TrialWorker>(transport_, open_worker(transport_), *device_->compiler(), spec_,
                                              Problem{}, first(), 1);
    return *worker_;
  }
  static Configuration first() { return Configuration{{"TILE", 4}, {"ROWS", 1}, {"ORDER", "rows"}}; }
  static Configuration second() { return Configuration{{"TILE", 8}, {"ROWS", 2}, {"ORDER", "rows"}}; }
  void begin(const Configuration& configuration, int attempt = 1, TrialWorker::Filling beside = {}) {
    const ImageRequest request = image_request(spec_, spec_.launch, Problem{}, &configuration, device_->info());
    worker().begin(configuration, device_->compiler()->compile({&request, 1}).front().image.value(), attempt, beside);
  }
  TrialWorker::Checked check(const Configuration& configuration, int attempt = 1) {
    begin(configuration, attempt);
    return worker().finish_check();
  }
  TrialWorker::Tried try_out(const Configuration& configuration, TrialWorker::Filling after = {}) {
    begin(configuration);
    return worker().finish_trial({3, 0}, after, {});
  }
  // One request of this name ends so, in the first worker.
  void once(const std::string& name, Heard::End end) {
    transport_.ends = [=, done = false](const std::string& request, int) mutable {
      if (done || request != name) return Heard::End::replied;
      done = true;
      return end;
    };
  }

  const Recording recording_;
  const KernelSpec spec_;
  const std::unique_ptr<Device> device_;
  ScriptedTransport transport_;
  std::unique_ptr<TrialWorker> worker_;
};

}  // namespace attune
