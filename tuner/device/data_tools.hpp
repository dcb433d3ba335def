// DataTools: make, compare and guard the data of kernels in a device's memory. An object beside the device:
// applications, which only launch, link none. On `cuda` these are kernels of attune's own. All devices compile the one
// text device/data_ops.hpp, so that data have the same bits everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "device/device.hpp"
#include "device/inspection.hpp"
#include "kernel/fill_values.hpp"

namespace attune {

// The thread that drives the device uses them.
class DataTools {
 public:
  virtual ~DataTools() = default;
  // Fills device memory with data. Synchronous on the default stream. `type` is a type name, `count` a number of
  // elements.
  virtual void generate(void* target, std::string_view type, std::uint64_t count, const FillValues& fill,
                        std::uint64_t seed) = 0;
  // Inspects memory on the default stream. Returns what was found, in the order of the inspections. Waits once for all
  // of them.
  virtual std::vector<InspectionFinding> inspect(std::span<const Inspection> inspections) = 0;
  InspectionFinding inspect(const Inspection& one) { return inspect(std::span(&one, 1)).front(); }
  // Forbids, where the device can, the `below` bytes before an array and the `above` bytes after it: until unfence(), a
  // kernel that touches them is reported.
  virtual void fence(void* /*array*/, std::size_t /*bytes*/, std::size_t /*below*/, std::size_t /*above*/) {}
  virtual void unfence(const void* /*array*/) noexcept {}
};

// Returns the data tools of a device that open_device() opened; the device must outlive them.
std::unique_ptr<DataTools> open_data_tools(Device& device);

}  // namespace attune
