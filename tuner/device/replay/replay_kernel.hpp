// A recording as a kernel without arguments, whose images hold nothing but the expression that names a configuration.
#pragma once

#include <memory>

#include "attune/kernel_spec.hpp"
#include "device/compiler.hpp"
#include "space/recording.hpp"

namespace attune {

// Returns a kernel whose search space is the recording.
KernelSpec replay_kernel(const Recording& recording);

// Returns a compiler of the images of replay_kernel(). It compiles nothing, and any thread may use it. Throws
// UsageError when two configurations have the same entry expression.
std::shared_ptr<Compiler> make_replay_compiler(const Recording& recording);

}  // namespace attune
