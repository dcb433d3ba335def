// Tests of what every device that runs kernels promises. Two executables have these tests: one for `host`, one for
// `cuda`.
#pragma once

#include "support/device_test.hpp"

namespace attune::test {

// Opens the device of this executable; skips or fails the test where there is none. Each executable defines this
// function.
void open_device_of_contract(std::unique_ptr<Device>& device);

class ContractTest : public DeviceTest {
 protected:
  void SetUp() override { open_device_of_contract(device_); }
};

}  // namespace attune::test
