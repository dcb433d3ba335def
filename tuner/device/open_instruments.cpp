// Finds what measures and what makes data for the kind of a device.
#include "device/cuda/cuda_data.hpp"
#include "device/cuda/cuda_instruments.hpp"
#include "device/data_tools.hpp"
#include "device/host/host_data.hpp"
#include "device/host/host_instruments.hpp"
#include "device/instruments.hpp"

namespace attune {

std::unique_ptr<DeviceInstruments> open_instruments(Device& device) {
  return device.info().kind == "host" ? open_host_instruments(device) : cuda::open_cuda_instruments(device);
}

std::unique_ptr<DataTools> open_data_tools(Device& device) {
  if (device.info().kind == "host") return std::make_unique<HostData>();
  return std::make_unique<cuda::CudaData>(device);
}

}  // namespace attune
