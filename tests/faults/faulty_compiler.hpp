// FaultyCompiler: a compiler that does what another does, but for what a fault script says. One thread.
#pragma once

#include <memory>
#include <string>

#include "device/compiler.hpp"

namespace attune::test {

// For one more compile worker of a test whose script is `script`. `attempt`: of the requests to be compiled next.
std::shared_ptr<Compiler> make_faulty_compiler(std::shared_ptr<Compiler> compiler, const std::string& script,
                                               std::shared_ptr<const int> attempt);

}  // namespace attune::test
