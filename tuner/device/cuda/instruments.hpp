// CudaInstruments: the functions of a CUDA device that only tuning needs: samples, data, the state of the device. A
// program has them if it links attune::tuner; applications that only launch do not carry them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda/cuda_context.hpp"
#include "device/device.hpp"

namespace attune::cuda {

// Each function does what Device's function of the same name does.
class CudaInstruments {
 public:
  virtual ~CudaInstruments() = default;
  virtual std::vector<std::string> other_users() = 0;
  virtual DeviceState state() = 0;
  virtual DeviceTimes take_samples(const Sampling& sampling) = 0;
  virtual DeviceTimes take_samples_in_turn(std::span<const Sampling> turns) = 0;
  virtual void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                        std::uint64_t seed) = 0;
  virtual std::vector<Found> inspect(std::span<const Inspection> inspections) = 0;
};

using MakeInstruments = std::unique_ptr<CudaInstruments> (*)(Device& device,
                                                             std::shared_ptr<const CudaContext> context);

// Returns the function that makes the instruments, or null in a program without them. It is set once, before main().
MakeInstruments instruments_of_program() noexcept;
void set_instruments(MakeInstruments make) noexcept;

}  // namespace attune::cuda
