#include "base/hexadecimal.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(Hexadecimal, GoesThereAndBack) {
  std::vector<std::byte> bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<std::byte>(i));
  const std::string text = hexadecimal(bytes);
  EXPECT_EQ(text.substr(0, 8), "00010203");
  EXPECT_EQ(text.substr(text.size() - 4), "feff");
  EXPECT_EQ(bytes_of_hexadecimal(text), bytes);
  EXPECT_EQ(bytes_of_hexadecimal(""), std::vector<std::byte>());
}

TEST(Hexadecimal, RefusesAnyOtherText) {
  for (const char* const text : {"0", "0g", "FF", "+1", " 1", "0x", "12 "})
    EXPECT_FALSE(bytes_of_hexadecimal(text)) << text;
}

}  // namespace
}  // namespace attune
