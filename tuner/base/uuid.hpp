// Identifiers of records and of temporary files.
#pragma once

#include <string>

namespace attune {

// Returns a fresh random RFC 4122 version 4 identifier. Any thread.
std::string make_uuid();

}  // namespace attune
