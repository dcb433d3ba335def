// For tests of the host device.
#pragma once

#include "device/host/host_device.hpp"
#include "support/device_test.hpp"

namespace attune::test {

class HostTest : public DeviceTest {
 protected:
  void SetUp() override { device_ = open_host_device(); }
};

}  // namespace attune::test
