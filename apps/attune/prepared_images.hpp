// What to compile so that applications on devices of an architecture find it in a cache: `attune prepare`. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attune/device_info.hpp"
#include "bundle/kernel_pack.hpp"
#include "core/cover.hpp"
#include "core/image.hpp"
#include "core/record.hpp"

namespace attune::cli {

// An image, and whom it serves.
struct PreparedImage {
  std::string key;  // image_key()
  ImageRequest request;
  std::string kernel, problem, configuration;
  std::string why;  // "record", "cover", "default", or the rung of a record for another problem or device
};

struct PreparedFor {
  std::vector<PreparedImage> images;  // each once
  std::vector<std::string> notes;     // records and problems that have no image here, and why
};

struct PrepareTerms {
  const KernelPack& kernel;
  std::span<const Record> records;                  // of any kernel and device
  std::span<const Cover> covers;                    // likewise
  std::span<const Problem> problems;                // complete
  DeviceInfo device;                                // of the architecture: "sm_90" by its limits, or the host's own
  std::string regime = "cold", objective = "time";  // that `problems` are asked for
};

// Returns the images of every record of this kernel on a device class of the architecture, and those of the covers of
// such a class for the types and choices of these records. For each of the problems it
// adds what a Dispatcher on such a device would launch, and the default configuration.
PreparedFor images_to_prepare(const PrepareTerms& terms);

}  // namespace attune::cli
