// A record of a kernel on a device, as a session would leave it.
#pragma once

#include <string>
#include <utility>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "base/uuid.hpp"
#include "core/record.hpp"

namespace attune {

// `toolchain`: the compiler's; if the device has another one, the record is stale.
inline Record made_record(const KernelSpec& spec, const DeviceInfo& device, const Problem& problem,
                          const Configuration& configuration, std::string toolchain) {
  Record record;
  record.uuid = make_uuid();
  record.key = {spec.name, spec.fingerprints.code, spec.fingerprints.contract, device.class_key(), problem, "cold",
                "time"};
  record.device_name = device.name;
  record.compute_capability = device.compute_capability;
  record.multiprocessors = device.multiprocessors;
  record.configuration = configuration;
  record.median_ns = 1000;
  record.default_ns = 1500;
  record.speedup = record.speedup_low = record.speedup_high = 1.5;
  record.space = spec.fingerprints.space;
  record.toolchain = std::move(toolchain);
  record.driver = device.driver;
  record.attune_version = "0.1.0";
  record.protocol = first_present_protocol;
  record.trials = 5;
  record.made_ms = 1700000000000;
  return record;
}

}  // namespace attune
