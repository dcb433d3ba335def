#include "core/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "core/digest.hpp"

namespace attune {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

Image sample_image() {
  Image image;
  image.architecture = "sm_90";
  image.toolchain = "NVRTC 13.0";
  image.functions.push_back({"transpose<float, 32>", "_Z9transposeIfLi32EE", {32, 4224, 8, 16, 400}});
  image.functions.push_back({"", "f", {}});
  image.code =
      std::make_shared<const std::vector<std::byte>>(bytes_of(std::string("\x7f"
                                                                          "ELF\0code",
                                                                          9)));
  return image;
}

void expect_equal(const Image& a, const Image& b) {
  EXPECT_EQ(a.architecture, b.architecture);
  EXPECT_EQ(a.toolchain, b.toolchain);
  EXPECT_EQ(*a.code, *b.code);
  ASSERT_EQ(a.functions.size(), b.functions.size());
  for (std::size_t i = 0; i < a.functions.size(); ++i) {
    EXPECT_EQ(a.functions[i].expression, b.functions[i].expression);
    EXPECT_EQ(a.functions[i].symbol, b.functions[i].symbol);
    EXPECT_EQ(a.functions[i].usage, b.functions[i].usage);
  }
}

TEST(Image, ReadsBackAsItWasWritten) {
  const auto read = deserialise(serialise(sample_image()));
  ASSERT_TRUE(read.has_value());
  expect_equal(*read, sample_image());
}

TEST(Image, OfNothingReadsBack) {
  const auto read = deserialise(serialise(Image{}));
  ASSERT_TRUE(read.has_value());
  EXPECT_TRUE(read->functions.empty());
  EXPECT_TRUE(read->code->empty());
}

TEST(Image, CutOffAnywhereIsRefused) {
  const auto bytes = serialise(sample_image());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(deserialise(std::span(bytes).first(size)).has_value()) << size;
  }
}

TEST(Image, WithAnyBitFlippedIsRefused) {
  const auto bytes = serialise(sample_image());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(deserialise(damaged).has_value()) << bit;
  }
}

TEST(Image, WithBytesBehindItIsRefused) {
  auto bytes = serialise(sample_image());
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(deserialise(bytes).has_value());
}

// A file whose digest is right and whose content is not: made by whoever can compute a digest.
std::vector<std::byte> file_with(const std::vector<std::byte>& payload) {
  auto file = serialise(Image{});
  const std::size_t header = 8 + 4 + 8 + 32;
  file.resize(header);
  for (unsigned i = 0; i < 8; ++i) file[12 + i] = static_cast<std::byte>(payload.size() >> (8 * i));
  const auto digest = sha256_bytes(payload);
  std::copy(digest.begin(), digest.end(), file.begin() + 20);
  file.insert(file.end(), payload.begin(), payload.end());
  return file;
}

TEST(Image, WithLengthsBeyondItsEndIsRefused) {
  const auto whole = serialise(sample_image());
  const std::vector<std::byte> payload(whole.begin() + 52, whole.end());
  ASSERT_TRUE(deserialise(file_with(payload)).has_value());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(
        deserialise(file_with({payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size)})).has_value());
  }
  for (std::size_t at = 0; at < payload.size(); ++at) {  // no length may lead beyond the end, whatever it says
    auto damaged = payload;
    damaged[at] = std::byte{0xff};
    (void)deserialise(file_with(damaged));
  }
  EXPECT_FALSE(deserialise(file_with(std::vector<std::byte>(64, std::byte{0xff}))).has_value());
}

TEST(Image, OfTheFirstVersionStillReads) {
  std::ifstream file(ATTUNE_TEST_DATA "/image_v1.bin", std::ios::binary);
  ASSERT_TRUE(file) << "tests/data/image_v1.bin is missing";
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto read = deserialise(std::as_bytes(std::span(text)));
  ASSERT_TRUE(read.has_value());
  expect_equal(*read, sample_image());
}

TEST(Image, FindsFunctionsByExpression) {
  const Image image = sample_image();
  ASSERT_NE(image.find("transpose<float, 32>"), nullptr);
  EXPECT_EQ(image.find("transpose<float, 32>")->symbol, "_Z9transposeIfLi32EE");
  EXPECT_EQ(image.find("transpose<float, 64>"), nullptr);
}

ImageRequest sample_request() {
  ImageRequest request;
  request.source = {"k.cu", "text", {{"a.h", "A"}, {"b.h", "B"}}};
  request.expressions = {"f<1>", "f<2>"};
  request.options = {"-O3"};
  request.architecture = "sm_90";
  return request;
}

TEST(ImageRequest, KeyIsOfEverythingButTheFileName) {
  const auto changed = [](auto change) {
    ImageRequest request = sample_request();
    change(request);
    return request.key();
  };
  const std::string key = sample_request().key();
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, changed([](ImageRequest& request) { request.source.name = "other.cu"; }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.source.text = "texT"; }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.source.headers[0].text = "a"; }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.source.headers[0].name = "c.h"; }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.expressions.pop_back(); }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.options.emplace_back("-G"); }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.options.at(0) = "-G"; }));
  EXPECT_NE(key, changed([](ImageRequest& request) { request.architecture = "sm_80"; }));
  // An item that moves from one list to the next.
  EXPECT_NE(key, changed([](ImageRequest& request) {
              request.options.insert(request.options.begin(), request.expressions.back());
              request.expressions.pop_back();
            }));
}

}  // namespace
}  // namespace attune
