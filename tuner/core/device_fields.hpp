// The fields of DeviceInfo, in one list, from which rows of the database, messages and tests are made.
#pragma once

#include "attune/device_info.hpp"
#include "base/field_list.hpp"
#include "base/member_count.hpp"

namespace attune {

// Visits the fields of which the class key is made.
void class_fields(auto&& visit, Is<DeviceInfo> auto& x) {
  visit("kind", x.kind);
  visit("name", x.name);
  visit("compute_capability", x.compute_capability);
  visit("multiprocessors", x.multiprocessors);
  visit("memory_bytes", x.memory_bytes);
  visit("memory_bus_bits", x.memory_bus_bits);
  visit("l2_bytes", x.l2_bytes);
  visit("mig_profile", x.mig_profile);
}

void fields(auto&& visit, Is<DeviceInfo> auto& x) {
  class_fields(visit, x);
  visit("warp_size", x.warp_size);
  visit("max_threads_per_block", x.max_threads_per_block);
  visit("max_threads_per_multiprocessor", x.max_threads_per_multiprocessor);
  visit("max_block", x.max_block);
  visit("max_grid", x.max_grid);
  visit("shared_static_limit", x.shared_static_limit);
  visit("shared_per_block", x.shared_per_block);
  visit("shared_per_multiprocessor", x.shared_per_multiprocessor);
  visit("shared_reserved", x.shared_reserved);
  visit("max_blocks_per_multiprocessor", x.max_blocks_per_multiprocessor);
  visit("registers_per_block", x.registers_per_block);
  visit("registers_per_multiprocessor", x.registers_per_multiprocessor);
  visit("ordinal", x.ordinal);
  visit("uuid", x.uuid);
  visit("driver", x.driver);
  visit("driver_cuda_version", x.driver_cuda_version);
  visit("clock_khz", x.clock_khz);
  visit("class_name", x.class_name);
}
static_assert(member_count<DeviceInfo>() == 26, "every member is in the list");

}  // namespace attune
