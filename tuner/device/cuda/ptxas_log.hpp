// Reading what ptxas says of each entry under --ptxas-options=-v. A pure function of the compiler's log.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/image.hpp"

namespace attune::cuda {

// The entries that the log describes, by lowered name. A quantity that the log does not give is 0 (newer compilers
// leave out the constant bank of newer architectures). Lines of functions that are not entries are passed over.
std::map<std::string, ResourceUsage> entries_of_log(std::string_view log);

// True when the compiler said what is wrong: "error:", "fatal   :".
bool names_an_error(std::string_view log);

// "uses too much shared data": the error of ptxas that is no fault of the source.
bool names_shared_overflow(std::string_view log);

// One line for each entry with more than `limit` bytes of static shared memory, by the name that people know it by; ""
// when there is none. The log of a refused entry tells its usage even where the error line is missing.
std::string shared_overflows(std::string_view log, std::uint64_t limit);

}  // namespace attune::cuda
