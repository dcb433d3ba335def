// What a recording is called: its configurations, its device, and its kernel's fingerprints. Pure functions.
#pragma once

#include <string>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"
#include "space/recording.hpp"

namespace attune {

Configuration configuration_of(const Recording& recording, const RecordedTrial& trial);

// Returns "NVIDIA A100 #1f2e3d4c". The digest covers the results: recordings with other results are other devices.
// Trials of one device say nothing certain about another, but may start its search.
std::string device_name_of(const Recording& recording);

// Returns equal fingerprints for the same configurations in any order of values and rows. Recordings of one space on
// two devices often differ in order, and should learn from each other.
Fingerprints fingerprints_of(const Recording& recording);

}  // namespace attune
