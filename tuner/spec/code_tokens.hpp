// What of a source counts for the code fingerprint: docs/formats/fingerprints.md.
#pragma once

#include <string>
#include <string_view>

namespace attune {

// Returns the tokens of C++ text: a blank stands for each run of white space and comments, a newline before and behind
// each directive. Text that compilers split in different ways stays, but for what is blank before it. Texts of one
// result compile to the same, but for line and column numbers. Takes any bytes, throws only std::bad_alloc, and may run
// on any thread.
std::string code_tokens(std::string_view text);

}  // namespace attune
