// Makes and inspects data on the host: implements Device::generate() and inspect() by data_ops.hpp. Touches nothing but
// the memory that it is given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/device.hpp"

namespace attune {
void generate_on_host(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                      std::uint64_t seed);
// Inspects memory that the host can read.
Found inspect_on_host(const Inspection& inspection);
}  // namespace attune
