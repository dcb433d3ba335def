// What import, merge and adopt share: the devices of class keys, and what was joined as text.
#pragma once

#include <string>
#include <vector>

#include "attune/device_info.hpp"
#include "db/wisdom_join.hpp"
#include "options.hpp"

namespace attune::cli {

// Returns a device by its class key, with the limits of its architecture. Throws UsageError for text that is no class
// key.
DeviceInfo device_by_class(const std::string& class_key);

// Returns how a command joins into the database `into`.
JoinTerms join_terms(std::string into, bool only_looks);

// Prints a line for each kernel and class of devices, the notes, and where the backup is.
void put_joined(const JoinResult& joined, const std::vector<std::string>& notes, const JoinTerms& terms);

}  // namespace attune::cli
