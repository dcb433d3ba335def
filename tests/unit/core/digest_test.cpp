#include "base/digest.hpp"

#include <gtest/gtest.h>

namespace attune {
namespace {

TEST(Sha256, GivesTheKnownVectors) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  EXPECT_EQ(sha256_bytes(std::as_bytes(std::span(std::string_view("abc")))).front(), std::byte{0xba});
}

// Of every length around whole blocks, as another implementation (Python's hashlib) has it.
TEST(Sha256, IsRightAtEveryLength) {
  std::string text, digests;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7 % 251);
  for (std::size_t n = 0; n <= text.size(); ++n) digests += sha256(std::string_view(text).substr(0, n));
  EXPECT_EQ(sha256(digests), "69cee36be08b531f90013192b38b419e7ea1aef7772f3f14c08bc1e71f6b7f7c");
}

TEST(Digest, IsTheSameFromWhereverABlockIsFilled) {
  const std::string text(777, 'x');
  for (std::size_t n = 0; n < 200; ++n) {
    const std::string before(n, 'y');
    std::string all;
    for (const std::string& field : {before, text}) {
      for (unsigned i = 0; i < 8; ++i) all += static_cast<char>(field.size() >> (8 * i));
      all += field;
    }
    EXPECT_EQ(Digest().add(before).add(text).hex(), sha256(all)) << n;
  }
}

TEST(Digest, PrecedesEachFieldWithItsLengthSoThatFieldsAreToldApart) {
  EXPECT_EQ(Digest().add("abc").hex(), sha256(std::string("\3\0\0\0\0\0\0\0abc", 11)));
  EXPECT_NE(Digest().add("ab").add("c").hex(), Digest().add("a").add("bc").hex());
  EXPECT_NE(Digest().add("a").hex(), Digest().add("a").add("").hex());
}

}  // namespace
}  // namespace attune
