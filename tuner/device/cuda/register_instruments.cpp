// Makes the instruments and precompiled headers known to a program that links them.
#include "device/cuda/cache_flush.hpp"
#include "device/cuda/cuda_data.hpp"
#include "device/cuda/cuda_sampler.hpp"
#include "device/cuda/instruments.hpp"
#include "device/cuda/nvml.hpp"
#include "device/cuda/nvrtc_pch.hpp"

// What the linker is asked for, so that it takes this object.
extern "C" const int attune_cuda_instruments_are_linked;
const int attune_cuda_instruments_are_linked = 1;

namespace attune::cuda {
namespace {

class Instruments final : public CudaInstruments {
 public:
  Instruments(Device& device, const std::shared_ptr<const CudaContext>& context)
      : nvml_(device.info().uuid),
        flush_(device, device.info().l2_bytes),
        sampler_(context, flush_),
        data_(device, context) {}

  std::vector<std::string> other_users() override { return nvml_.other_processes(); }
  DeviceState state() override { return nvml_.state(); }
  DeviceTimes take_samples(const Sampling& sampling) override { return sampler_.run(sampling); }
  DeviceTimes take_samples_in_turn(std::span<const Sampling> turns) override { return sampler_.run_in_turn(turns); }
  void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                std::uint64_t seed) override {
    data_.generate(target, type, count, fill, seed);
  }
  std::vector<Found> inspect(std::span<const Inspection> inspections) override { return data_.inspect(inspections); }

 private:
  NvmlView nvml_;
  CacheFlush flush_;
  Sampler sampler_;
  CudaData data_;  // uses all of the above
};

std::unique_ptr<CudaInstruments> make_instruments(Device& device, std::shared_ptr<const CudaContext> context) {
  return std::make_unique<Instruments>(device, context);
}

[[maybe_unused]] const bool are_known =
    (set_instruments(make_instruments), set_precompiling(compile_precompiled), true);

}  // namespace
}  // namespace attune::cuda
