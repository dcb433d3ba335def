// The static shared memory of each entry of a compiled object. On the host it is thread-local storage; relocations show
// which variables a function uses. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace attune {

// Returns, for each of `functions` (symbol names), the bytes of thread-local variables that it uses. Variables of the
// functions that it calls in the same object count, too; variables whose name contains `ignored` do not. `object`: an
// ELF64 relocatable file compiled with -ffunction-sections. Throws Error for anything else.
std::map<std::string, std::uint64_t> static_shared_bytes(std::span<const std::byte> object,
                                                         const std::vector<std::string>& functions,
                                                         const std::string& ignored);

}  // namespace attune
