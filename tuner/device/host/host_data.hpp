// HostData: makes and inspects data on the host, by data_ops.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/data_tools.hpp"

namespace attune {

// Fills memory of the host. It touches nothing but the memory that it is given.
void generate_on_host(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                      std::uint64_t seed);
// Inspects memory that the host can read.
InspectionFinding inspect_on_host(const Inspection& inspection);

// The data tools of the host device. Under AddressSanitizer, fences are its.
class HostData final : public DataTools {
 public:
  void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                std::uint64_t seed) override {
    generate_on_host(target, type, count, fill, seed);
  }
  std::vector<InspectionFinding> inspect(std::span<const Inspection> inspections) override;
  void fence(void* array, std::size_t bytes, std::size_t below, std::size_t above) override;
  void unfence(const void* array) noexcept override;
};

}  // namespace attune
