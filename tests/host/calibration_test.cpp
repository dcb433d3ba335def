// Calibration on the host device: the whole way, with real kernels.
#include "session/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/kernel_runner.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A device worker with a cache of so many bytes, and no room for problems with larger arrays than `bytes`.
class Cramped final : public Workers {
 public:
  Cramped(Device& device, std::uint64_t bytes, std::uint64_t l2_bytes)
      : device_(device), own_(device), bytes_(bytes), l2_bytes_(l2_bytes) {}
  std::unique_ptr<Transport> device_worker(LaneId) override {
    const auto server = std::make_shared<DeviceServer>(kernel_testbed(device_));
    return std::make_unique<DirectTransport>([this, server](const Job& job) {
      if (const auto* const begin = std::get_if<Begin>(&job); begin != nullptr && !fits(begin->setup))
        return Reply{.answer = Failure{Failure::Kind::out_of_memory, "no room"}};
      Reply reply = server->answer(job);
      if (auto* const opened = std::get_if<DeviceFacts>(&reply.answer)) opened->info.l2_bytes = l2_bytes_;
      return reply;
    });
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override { return own_.compile_worker(device); }

 private:
  bool fits(const TrialSetup& setup) const {
    return std::all_of(setup.arguments.begin(), setup.arguments.end(),
                       [this](const ArgumentSetup& argument) { return argument.bytes <= bytes_; });
  }

  Device& device_;
  LocalWorkers own_;
  const std::uint64_t bytes_, l2_bytes_;
};

// Those that are right, quickly.
void keep_one_configuration(std::vector<KernelSpec>& kernels) {
  for (KernelSpec& spec : kernels)
    for (Parameter& parameter : spec.parameters) parameter.values.resize(1);
}

class HostCalibration : public testing::Test {
 protected:
  HostCalibration() { request_.kernels = calibration_kernels(); }
  std::vector<Ceiling> run() { return run(workers_); }
  std::vector<Ceiling> run(Workers& workers) {
    Pool pool(workers);
    return calibrate(request_, pool, stop_).ceilings;
  }

  std::unique_ptr<Device> device_ = open_device("host");
  LocalWorkers workers_{*device_};
  CalibrationRequest request_;
  std::atomic<int> stop_{0};
};

TEST_F(HostCalibration, GivesEveryCeilingWithItsUnitAndHowItWasReached) {
  std::vector<std::string> told, names;
  request_.measured = [&](const Ceiling& ceiling) { told.push_back(ceiling.name); };
  std::map<std::string, double> values;
  for (const Ceiling& ceiling : run()) {
    names.push_back(ceiling.name);
    values[ceiling.name] = ceiling.value;
    EXPECT_GT(ceiling.value, 0) << ceiling.name;
    EXPECT_FALSE(ceiling.detail.empty()) << ceiling.name;
    EXPECT_FALSE(ceiling.attune_version.empty());
    EXPECT_GT(ceiling.made_ms, 0);
    const bool is_rate = ceiling.name == "copy" || ceiling.name == "read";
    EXPECT_EQ(ceiling.unit, is_rate ? "B/s" : ceiling.name.starts_with("fma") ? "FLOP/s" : "ns") << ceiling.name;
  }
  EXPECT_THAT(names,
              ElementsAre("copy", "read", "fma float", "fma double", "launch", "launch cold", "launch in batch"));
  EXPECT_EQ(told, names);
  EXPECT_GT(values["copy"], 1e6);
  EXPECT_LT(values["launch in batch"], 1e6) << "a launch of one thread takes a millisecond";
}

TEST_F(HostCalibration, EndsWithNothingWhenItIsStopped) {
  stop_ = 1;
  EXPECT_TRUE(run().empty());
}

TEST_F(HostCalibration, TakesNoWrongResultForACeiling) {
  keep_one_configuration(request_.kernels);
  std::string& launch = request_.kernels.back().source.text;
  launch.replace(launch.find("*out = 1"), 8, "*out = 2");
  try {
    run();
    FAIL() << "a wrong kernel was timed";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the calibration kernel launch fails on"));
    EXPECT_THAT(error.what(), HasSubstr("wrong_result"));
  }
}

TEST_F(HostCalibration, TakesSmallerArraysWhereThereIsNoRoom) {
  keep_one_configuration(request_.kernels);
  Cramped cramped(*device_, 1 << 20, 1 << 18);
  const std::vector<Ceiling> found = run(cramped);
  ASSERT_EQ(found.size(), 7u);
  EXPECT_THAT(found[0].detail, testing::EndsWith("; n=262144"));
  EXPECT_THAT(found[1].detail, testing::EndsWith("; n=262144"));

  Cramped large_cache(*device_, 1 << 20, 1 << 20);  // which would hold half of such arrays, and be what is measured
  EXPECT_THROW(run(large_cache), OutOfMemory);
}

TEST_F(HostCalibration, NamesAKernelThatIsMissing) {
  request_.kernels.clear();
  EXPECT_THROW(run(), Error);
}

}  // namespace
}  // namespace attune
