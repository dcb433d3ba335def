// Rewrites a kernel's declarations of shared memory, which have no equivalent in C++, for the host's compiler. Pure.
#pragma once

#include <string>
#include <string_view>

namespace attune {

enum class SharedVariables {
  plain,   // static ones are thread-local variables of an OS thread
  fenced,  // each stands between bytes that nothing may touch (attune_host::Fenced), for sanitizers
};

// Makes `extern __shared__ T name[];` a reference to the block's dynamic shared memory, inside functions and outside.
// Comments, strings and lines stay as they are, so that messages of the compiler name the right line.
std::string rewrite_shared_memory(std::string_view source, SharedVariables variables = SharedVariables::plain);

}  // namespace attune
