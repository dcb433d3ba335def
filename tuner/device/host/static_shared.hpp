// How much static shared memory each entry of a compiled object needs: on the host such memory is thread-local storage,
// and what a function refers to stands in the object's relocations. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace attune {

// Bytes of thread-local variables that each of `functions` (symbol names) refers to, itself or through functions of the
// same object that it calls; `ignored` variables are left out. `object`: an ELF64 relocatable file compiled with
// -ffunction-sections. Throws Error for anything else.
std::map<std::string, std::uint64_t> static_shared_bytes(std::span<const std::byte> object,
                                                         const std::vector<std::string>& functions,
                                                         const std::string& ignored);

}  // namespace attune
