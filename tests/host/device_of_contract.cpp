#include "device/host/host_device.hpp"
#include "device_contract/contract_test.hpp"

namespace attune::test {

void open_device_of_contract(std::unique_ptr<Device>& device) { device = open_host_device(); }

}  // namespace attune::test
