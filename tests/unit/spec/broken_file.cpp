#include "unit/spec/broken_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace attune::tests {

void PrintTo(const BrokenFile& file, std::ostream* out) { *out << file.name; }

std::string whole_file() {
  std::ifstream stream(ATTUNE_TEST_DATA "/kernels/everything.cu", std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  EXPECT_TRUE(stream) << "everything.cu cannot be read";
  return text.str();
}

std::string edited(std::string file, std::string_view text, std::string_view replacement) {
  const auto found = file.find(text);
  EXPECT_NE(found, std::string::npos) << "everything.cu does not hold: " << text;
  if (found != std::string::npos) file.replace(found, text.size(), replacement);
  return file;
}

}  // namespace attune::tests
