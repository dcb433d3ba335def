// Makes and inspects data on the host: Device::generate() and inspect(), by data_ops.hpp. Pure but for the memory
// named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/device.hpp"

namespace attune {
void generate_on_host(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                      std::uint64_t seed);
// Of memory that the host reads.
Found inspect_on_host(const Inspection& inspection);
}  // namespace attune
