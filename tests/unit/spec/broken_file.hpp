// A kernel file and ways to break it.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace attune::tests {

// In a replacement: here, at the character behind the mark, the error is expected.
inline constexpr std::string_view error_mark = "^^";

struct BrokenFile {
  std::string name;                // of the test
  std::string text;                // occurs in everything.cu; the first occurrence is replaced
  std::string replacement;         // holds one error_mark, unless `at` is given
  std::vector<std::string> words;  // all occur in the message
  std::string at = {};             // occurs in the broken file: the error is expected where it begins
};

void PrintTo(const BrokenFile& file, std::ostream* out);  // for GoogleTest

// tests/data/kernels/everything.cu
std::string whole_file();
// The text with the first occurrence of `text` replaced. Fails the test when there is none.
std::string edited(std::string file, std::string_view text, std::string_view replacement);

}  // namespace attune::tests
