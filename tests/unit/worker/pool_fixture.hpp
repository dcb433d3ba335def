// A pool whose device worker does what a test says, with a recording behind it; like a worker in a process it
// acknowledges each job.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

#include "attune/error.hpp"
#include "device/replay/replay_kernel.hpp"
#include "recordings/recording_file.hpp"
#include "subject/kernel_subject.hpp"
#include "support/bowl.hpp"
#include "unit/worker/job_name.hpp"
#include "worker/compile_server.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/pool.hpp"
#include "worker/recording_runner.hpp"

namespace attune {

// What a test says, and what it sees. The n-th worker is number n. Set while no job is under way.
struct Script {
  std::function<Receipt::End(const std::string& job, int worker)> ends;  // how a job ends that was begun
  std::function<bool(const std::string& job, int worker)> hangs;         // until the worker is interrupted
  std::function<bool(const std::string& job)> stays;                     // late, and killed in vain
  std::function<void(const Job& job, Reply&)> change;                    // what its answer becomes
  bool isolates = true;

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> begun;
  std::map<std::string, double> limits;  // seconds that a job was given to end
  std::size_t most_sent = 0;             // jobs that a worker had at a time
  int sent_ahead = 0;                    // jobs that came while the worker had another
  int workers = 0;
  std::string held;  // a job that does not end while its name stands here
  bool interrupted = false;

  std::vector<std::string> take_begun() {
    const std::lock_guard lock(mutex);
    return std::exchange(begun, {});
  }
  void hold(const std::string& job) {
    const std::lock_guard lock(mutex);
    held = job;
    changed.notify_all();
  }
  void release() { hold(""); }
  void wait_until_begun(const std::string& job) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::seconds(20),
                                 [&] { return std::find(begun.begin(), begun.end(), job) != begun.end(); }));
  }
};

class ScriptedTransport final : public Transport {
 public:
  explicit ScriptedTransport(Script& script) : script_(script) {}
  void send(const Job& job, double) override {
    const std::lock_guard lock(script_.mutex);
    if (!server_) start();
    script_.sent_ahead += jobs_.empty() ? 0 : 1;
    jobs_.push_back(job);
    script_.most_sent = std::max(script_.most_sent, jobs_.size());
  }
  Receipt receive(TimeLimit limit) override {
    std::unique_lock lock(script_.mutex);
    if (!server_) return {Receipt::End::died, {}, "ended"};
    if (jobs_.empty()) return lose(Receipt::End::timed_out);
    const Job job = jobs_.front();
    const std::string name = name_of(job);
    if (!std::exchange(has_begun_, true)) return begin(name);
    script_.limits[name] = limit.seconds;
    if (script_.hangs && script_.hangs(name, script_.workers)) {
      script_.changed.wait_for(lock, std::chrono::seconds(20), [this] { return script_.interrupted; });
      script_.interrupted = false;
      return lose(Receipt::End::died);
    }
    script_.changed.wait(lock, [&] { return script_.held != name; });
    if (script_.stays && script_.stays(name)) {
      lose(Receipt::End::timed_out);
      throw DeviceLost("as the test says");
    }
    has_begun_ = false;
    const Receipt::End end = script_.ends ? script_.ends(name, script_.workers) : Receipt::End::replied;
    if (end != Receipt::End::replied) return lose(end);
    jobs_.pop_front();
    Receipt received{end, server_->answer(job), {}};
    if (script_.change) script_.change(job, received.reply);
    return received;
  }
  void restart() override {
    const std::lock_guard lock(script_.mutex);
    lose(Receipt::End::died);
  }
  void interrupt() noexcept override {
    const std::lock_guard lock(script_.mutex);
    script_.interrupted = true;
    script_.changed.notify_all();
  }
  bool isolates() const noexcept override { return script_.isolates; }

 private:
  void start() {
    server_ = std::make_unique<DeviceServer>(recording_testbed(std::make_shared<Replay>(bowl())));
    ++script_.workers;
  }
  Receipt begin(const std::string& name) {
    script_.begun.push_back(name);
    script_.changed.notify_all();
    return {Receipt::End::replied, {.answer = StartNotice{}}, {}};
  }
  Receipt lose(Receipt::End end) {
    server_.reset();
    jobs_.clear();
    has_begun_ = false;
    return {end, {}, "as the test says"};
  }

  Script& script_;
  std::unique_ptr<DeviceServer> server_;
  std::deque<Job> jobs_;
  bool has_begun_ = false;
};

class ScriptedWorkers final : public Workers {
 public:
  explicit ScriptedWorkers(Script& script) : scripts_{&script}, compiler_(make_replay_compiler(bowl())) {}
  // Adds a device worker.
  void add(Script& script) { scripts_.push_back(&script); }
  LaneId device_workers() const override { return scripts_.size(); }
  std::unique_ptr<Transport> device_worker(LaneId lane) override {
    return std::make_unique<ScriptedTransport>(*scripts_.at(lane));
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo&) override {
    const auto server = std::make_shared<CompileServer>(compiler_);
    return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
  }

 private:
  std::vector<Script*> scripts_;  // of each device worker
  const std::shared_ptr<Compiler> compiler_;
};

// Instances 1 and 11 are of one configuration, the others of their own. The known-good job is that of instance 9.
class PoolTest : public testing::Test {
 protected:
  PoolTest() : recording_(bowl()), spec_(replay_kernel(recording_)), workers_(script_) {}

  Pool& pool() {
    if (!pool_) {
      pool_ = std::make_unique<Pool>(workers_);
      for (LaneId lane = 0; lane < pool_->lanes(); ++lane) pool_->device(lane);
    }
    return *pool_;
  }
  // A problem is begun, and the known-good job is there.
  void begin(LaneId lane = 0) {
    const TrialSetup setup = subject().setup(
        configuration(9), [this](const ImageRequest& request) { return pool().compile(request); }, 1);
    ASSERT_TRUE(std::holds_alternative<BeginAnswer>(pool().run(Begin{setup}, lane).answer));
    pool().set_known_good(KnownGood{Try{launch(9), {1, 0}}, 0}, lane);
    script_.take_begun();
  }
  KernelSubject subject() { return {spec_, {}, pool().device().info}; }
  static Configuration configuration(InstanceId id) {
    if (id == 2) return {{"TILE", 8}, {"ROWS", 2}, {"ORDER", "rows"}};
    if (id == 3) return {{"TILE", 8}, {"ROWS", 1}, {"ORDER", "rows"}};
    if (id == 9) return {{"TILE", 16}, {"ROWS", 1}, {"ORDER", "rows"}};
    return {{"TILE", 4}, {"ROWS", 1}, {"ORDER", "rows"}};
  }
  ImageRequest image_of(InstanceId id) { return *subject().prepare(id, configuration(id))->image; }
  InstanceLaunch launch(InstanceId id, int attempt = 1) {
    const auto instance = subject().prepare(id, configuration(id));
    return instance_launch(*instance, pool().compile(*instance->image).image.value(), attempt);
  }
  Try try_of(InstanceId id, int attempt = 1) { return Try{launch(id, attempt), {3, 0}}; }
  void load(InstanceId id) {
    const Result loaded = pool().run(Load{launch(id), {}});
    ASSERT_TRUE(std::get<TryAnswer>(loaded.answer).status.ok());
  }
  // The first job of this name ends so; with `times`, so many.
  void ends(const std::string& name, Receipt::End end, int times = 1) {
    script_.ends = [=, left = times](const std::string& job, int) mutable {
      return job == name && left-- > 0 ? end : Receipt::End::replied;
    };
  }
  static const Status& status(const Result& result) { return *status_of(result.answer); }
  static const std::vector<double>& samples(const Result& result) {
    if (const auto* tried = std::get_if<TryAnswer>(&result.answer)) return tried->samples_ns;
    return std::get<RoundsAnswer>(result.answer).samples_ns;
  }
  double time_of(InstanceId id) { return samples(pool().run(Rounds{{id}, {1, 0}})).at(0); }

  const Recording recording_;
  const KernelSpec spec_;
  Script script_;
  ScriptedWorkers workers_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace attune
