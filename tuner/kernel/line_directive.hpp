// The #line directive that names the text after it in the messages of compilers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attune {

// Returns `#line 1 "scale.cu"`, or that of another line, and a line end. Quotes and control characters in the name
// cannot end the directive.
inline std::string line_directive(std::string_view name, std::ptrdiff_t line = 1) {
  std::string shown;
  for (const char c : name) {
    if (c == '"' || c == '\\') shown += '\\';
    shown += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return "#line " + std::to_string(line) + " \"" + shown + "\"\n";
}

}  // namespace attune
