// tests/data/kernels/everything.cu, and edits of it.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace attune::tests {

inline std::string whole_file() {
  std::ifstream stream(ATTUNE_TEST_DATA "/kernels/everything.cu", std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_TRUE(stream) << "everything.cu cannot be read";
  return text.str();
}

// The text with the first occurrence of `text` replaced. Fails the test when there is none.
inline std::string edited(std::string file, std::string_view text, std::string_view replacement) {
  const auto found = file.find(text);
  EXPECT_NE(found, std::string::npos) << "everything.cu does not hold: " << text;
  if (found != std::string::npos) file.replace(found, text.size(), replacement);
  return file;
}

}  // namespace attune::tests
