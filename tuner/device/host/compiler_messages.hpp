// What a failed compiler said of a kernel, for its author.
#pragma once

#include <string>

#include "attune/source_text.hpp"

namespace attune {

// Returns the compiler's messages without those about generated entries, provided that errors remain: these name the
// mistake at the `entry` of the kernel file. If they are about something unsupported, a line at the top says so,
// because the messages may be pages about its consequences.
std::string messages_of(const SourceText& source, const std::string& messages);

}  // namespace attune
