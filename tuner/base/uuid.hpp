// Identifiers of records and of temporary files.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns a fresh random RFC 4122 version 4 identifier. Any thread.
std::string make_uuid();

// Returns the identifier (RFC 9562, version 8) that is made of a digest of at least 32 hexadecimal digits: the same for
// the same digest.
std::string uuid_of(std::string_view digest);

}  // namespace attune
