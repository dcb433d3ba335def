// What to do about the commonest messages of NVRTC and ptxas. Pure.
#pragma once

#include <string>
#include <string_view>

namespace attune::cuda {

// Returns whether ptxas says that it runs asynchronous products one after the other.
bool says_serialized(std::string_view log);

// Returns a line of advice for each kind of message in the log that a user can do something about, "" if there is none.
// `ignores_host_code`: whether the kernel file says so already. `asserts`: whether the code calls assert().
std::string nvrtc_advice(std::string_view log, bool ignores_host_code, bool asserts);

}  // namespace attune::cuda
