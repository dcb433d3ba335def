// FaultyDevice: a device that does what another does, but for what a fault script says. What a CUDA error number means
// is asked of the code that asks it of the driver's.
#pragma once

#include <memory>
#include <string>

#include "device/device.hpp"
#include "faults/fault_script.hpp"

namespace attune::test {

struct Tried {
  std::string configuration = "reference";
  int attempt = 1;
};

// What is being tried, as WorkerSeams::trying tells it.
using TriedNow = std::shared_ptr<Tried>;

// For one more device worker of a test whose script is `script`.
std::unique_ptr<Device> make_faulty_device(std::unique_ptr<Device> device, const std::string& script, TriedNow now);

}  // namespace attune::test
