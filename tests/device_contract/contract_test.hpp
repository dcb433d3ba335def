// What every device promises that runs kernels. Two executables hold these tests: one on `host`, one on `cuda`.
#pragma once

#include "support/device_test.hpp"

namespace attune::test {

// Opens the device of this executable, which defines it; skips or fails the test where there is none.
void open_device_of_contract(std::unique_ptr<Device>& device);

class ContractTest : public DeviceTest {
 protected:
  void SetUp() override { open_device_of_contract(device_); }
};

}  // namespace attune::test
