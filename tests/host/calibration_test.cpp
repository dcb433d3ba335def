// Calibration on the host device: the whole way, with real kernels.
#include "session/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "attune/error.hpp"
#include "spec/kernel_file.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A device worker that has no room for problems with arrays of more bytes than this.
class Cramped final : public Workers {
 public:
  Cramped(Device& device, std::uint64_t bytes) : own_(device), transport_(own_.device(), bytes) {}
  Transport& device() override { return transport_; }
  std::shared_ptr<Compiler> compiler() override { return own_.compiler(); }

 private:
  class CrampedTransport final : public Transport {
   public:
    CrampedTransport(Transport& real, std::uint64_t bytes) : real_(real), bytes_(bytes) {}
    Heard ask(const Request& request, double seconds) override {
      if (const auto* const problem = std::get_if<BeginProblem>(&request))
        for (const ArgumentSetup& argument : problem->setup.arguments)
          if (argument.bytes > bytes_)
            return {Heard::End::replied, Reply{.answer = Failure{Failure::Kind::out_of_memory, "no room"}}, {}};
      return real_.ask(request, seconds);
    }
    void restart() override { real_.restart(); }
    int started() const noexcept override { return real_.started(); }

   private:
    Transport& real_;
    const std::uint64_t bytes_;
  };
  LocalWorkers own_;
  CrampedTransport transport_;
};

// Those that are right, quickly.
void keep_one_configuration(std::vector<KernelSpec>& kernels) {
  for (KernelSpec& spec : kernels)
    for (Parameter& parameter : spec.parameters) parameter.values.resize(1);
}

class HostCalibration : public testing::Test {
 protected:
  HostCalibration() { request_.kernels = calibration_kernels(); }
  std::vector<Ceiling> run() { return calibrate(request_, workers_, open_worker(workers_.device()), stop_).ceilings; }

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
  Cramped cramped(*device_, 1 << 20);
  DeviceOpened opened = open_worker(cramped.device());
  opened.info.l2_bytes = 1 << 18;
  const std::vector<Ceiling> found = calibrate(request_, cramped, opened, stop_).ceilings;
  ASSERT_EQ(found.size(), 7u);
  EXPECT_THAT(found[0].detail, testing::EndsWith("; n=262144"));
  EXPECT_THAT(found[1].detail, testing::EndsWith("; n=262144"));

  opened.info.l2_bytes = 1 << 20;  // arrays that the cache holds half of would measure the cache
  EXPECT_THROW(calibrate(request_, cramped, opened, stop_), OutOfMemory);
}

TEST_F(HostCalibration, NamesAKernelThatIsMissing) {
  request_.kernels.clear();
  EXPECT_THROW(run(), Error);
}

}  // namespace
}  // namespace attune
