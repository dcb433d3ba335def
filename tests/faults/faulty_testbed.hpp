// A testbed that does what another does, but for what a fault script says: of a device and of a recording alike. What a
// CUDA error number means is asked of the code that asks it of the driver's.
#pragma once

#include <memory>
#include <string>

#include "worker/runner.hpp"

namespace attune::test {

// For one more device worker of a test whose script is `script`.
std::unique_ptr<Testbed> make_faulty_testbed(std::unique_ptr<Testbed> testbed, const std::string& script);

}  // namespace attune::test
