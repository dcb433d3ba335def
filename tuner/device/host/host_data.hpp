// Makes and compares data on the host: Device::generate() and compare(), by data_ops.hpp. Pure but for the memory
// named.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "device/device.hpp"

namespace attune {
void generate_on_host(void* target, std::string_view type, std::uint64_t count, const Fill& fill, std::uint64_t seed);
Comparison compare_on_host(const void* actual, const void* expected, std::string_view type, std::uint64_t count,
                           const Tolerance& tolerance);
std::uint64_t count_differences_on_host(const void* a, const void* b, std::size_t bytes);
std::uint64_t checksum_on_host(const void* memory, std::size_t bytes);
}  // namespace attune
