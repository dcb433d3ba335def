#include "device_contract/contract_test.hpp"
#include "support/gpu.hpp"

namespace attune::test {

void open_device_of_contract(std::unique_ptr<Device>& device) { open_gpu(device); }

}  // namespace attune::test
