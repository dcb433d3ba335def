#include "device/cuda/cuda_instruments.hpp"

#include "device/cuda/cache_flush.hpp"
#include "device/cuda/cuda_device.hpp"
#include "device/cuda/cuda_sampler.hpp"
#include "device/cuda/nvml.hpp"

namespace attune::cuda {
namespace {

class CudaInstruments final : public DeviceInstruments {
 public:
  explicit CudaInstruments(Device& device)
      : nvml_(device.info().uuid), flush_(device, device.info().l2_bytes), sampler_(context_of(device), flush_) {}

  std::vector<std::string> other_users() override { return nvml_.other_processes(); }
  DeviceState state() override { return nvml_.state(); }
  DeviceTimes take_samples(const Sampling& sampling) override { return sampler_.run(sampling); }
  DeviceTimes take_samples_in_turn(std::span<const Sampling> turns) override { return sampler_.run_in_turn(turns); }

 private:
  NvmlView nvml_;
  CacheFlush flush_;
  Sampler sampler_;
};

}  // namespace

std::unique_ptr<DeviceInstruments> open_cuda_instruments(Device& device) {
  return std::make_unique<CudaInstruments>(device);
}

}  // namespace attune::cuda
