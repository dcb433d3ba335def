// Reads ptxas's report on each entry under --ptxas-options=-v. Pure functions of the compiler's log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/image.hpp"

namespace attune::cuda {

// Returns the entries in the log, by lowered name. A quantity that is not in the log is 0: newer compilers omit the
// constant bank of newer architectures. Functions that are not entries are skipped.
std::map<std::string, ResourceUsage> entries_of_log(std::string_view log);

// Returns whether the log has an error of the compiler: "error:", "fatal   :".
bool names_an_error(std::string_view log);

// Returns whether the compiler or ptxas gave up for want of this machine's memory.
bool names_lack_of_memory(std::string_view log);

// Returns whether ptxas reports "uses too much shared data", an error outside the source.
bool names_shared_overflow(std::string_view log);

// Returns one line for each entry with more than `limit` bytes of static shared memory, by its readable name. Returns
// "" when there is none. The log has the usage of a refused entry even where the error line is missing.
std::string shared_overflows(std::string_view log, std::uint64_t limit);

}  // namespace attune::cuda
