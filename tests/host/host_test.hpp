// For tests of the host device.
#pragma once

#include "device/host/host_device.hpp"
#include "support/device_test.hpp"

namespace attune::test {

class HostTest : public DeviceTest {
 protected:
  HostTest() { device_ = open_host_device(); }  // before the members of the test, which may use it
};

}  // namespace attune::test
