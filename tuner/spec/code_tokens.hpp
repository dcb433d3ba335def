// The parts of a source that count for the code fingerprint: docs/formats/fingerprints.md.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the tokens of C++ text, with a blank for each run of white space and comments, and a newline before and
// behind each directive. Text that compilers split in different ways is returned as it is, without leading white space.
// Texts with the same result compile to the same code, except for line and column numbers. Takes any bytes, throws only
// std::bad_alloc, and may run on any thread.
std::string code_tokens(std::string_view text);

}  // namespace attune
