#include "core/image.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "base/digest.hpp"
#include "core/source_key.hpp"

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
  image.files = {{"/usr/local/cuda/include/cuda_fp16.h", sha256("header")}, {"first/absent.h", ""}};
  image.code =
      std::make_shared<const std::vector<std::byte>>(bytes_of(std::string("\x7f"
                                                                          "ELF\0code",
                                                                          9)));
  return image;
}

void expect_reads_back(std::span<const std::byte> bytes, const Image& expected) {
  const auto read = deserialise(bytes);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->architecture, expected.architecture);
  EXPECT_EQ(read->toolchain, expected.toolchain);
  EXPECT_EQ(*read->code, *expected.code);
  EXPECT_EQ(read->files, expected.files);
  EXPECT_EQ(read->knows_files, expected.knows_files);
  ASSERT_EQ(read->functions.size(), expected.functions.size());
  for (std::size_t i = 0; i < expected.functions.size(); ++i) {
    EXPECT_EQ(read->functions[i].expression, expected.functions[i].expression);
    EXPECT_EQ(read->functions[i].symbol, expected.functions[i].symbol);
    EXPECT_EQ(read->functions[i].usage, expected.functions[i].usage);
  }
}

std::string test_data(const std::string& name) {
  std::ifstream file(ATTUNE_TEST_DATA "/" + name, std::ios::binary);
  EXPECT_TRUE(file) << "tests/data/" << name << " is missing";
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Image, ReadsBackAsItWasWrittenAlsoByEarlierBuilds) {
  expect_reads_back(serialise(sample_image()), sample_image());
  Image nothing;
  nothing.code = std::make_shared<const std::vector<std::byte>>();
  expect_reads_back(serialise(Image{}), nothing);
  Image of_unknown_files = sample_image();
  of_unknown_files.knows_files = false;
  expect_reads_back(serialise(of_unknown_files), of_unknown_files);
  const std::string text = test_data("image_v1.bin");
  expect_reads_back(std::as_bytes(std::span(text)), sample_image());
  EXPECT_EQ(serialise(sample_image()), bytes_of(text));
}

TEST(Image, OfAnotherVersionOrMagicCountsAsAbsent) {
  std::vector<std::byte> bytes = serialise(sample_image());
  for (const std::size_t place : {0, 8}) {
    bytes[place] ^= std::byte{0x20};
    EXPECT_FALSE(deserialise(bytes).has_value()) << place;
    bytes[place] ^= std::byte{0x20};
  }
  EXPECT_TRUE(deserialise(bytes).has_value());
}

TEST(Image, CutOffAnywhereOrLongerIsRefused) {
  auto bytes = serialise(sample_image());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(deserialise(std::span(bytes).first(size)).has_value()) << size;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(deserialise(bytes).has_value());
}

TEST(Image, WithAnyBitFlippedIsRefused) {
  const auto bytes = serialise(sample_image());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    auto damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_FALSE(deserialise(damaged).has_value()) << bit;
  }
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
  ImageRequest renamed = sample_request();
  renamed.source.name = "other.cu";
  EXPECT_EQ(renamed.key(""), sample_request().key(""));
  EXPECT_EQ(renamed.key("").size(), 64u);
  std::vector<ImageRequest> requests(13, sample_request());
  requests[1].source.text = "texT";
  requests[2].source.headers[0].text = "a";
  requests[3].source.headers[0].name = "c.h";
  requests[4].expressions.pop_back();
  requests[5].options.emplace_back("-G");
  requests[6].options.at(0) = "-G";
  requests[7].architecture = "sm_80";
  requests[8].expressions = {"f<1>"};  // the other moves to the next list
  requests[8].options = {"f<2>", "-O3"};
  requests[9].macros = {{"N", "1"}};
  requests[10].macros = {{"N", "2"}};
  requests[11].options.emplace_back("-DN=1");
  requests[12].ignores_host_code = true;
  std::set<std::string> keys;
  for (const ImageRequest& request : requests) keys.insert(request.key(""));
  EXPECT_EQ(keys.size(), requests.size());
}

// attune's headers, the host's part of CUDA and the compiler's own options are none of the request's members.
TEST(ImageRequest, KeyIsOfWhatTheCompilerAddsToo) {
  EXPECT_NE(sample_request().key("attune.cuh of today"), sample_request().key("attune.cuh of tomorrow"));
}

TEST(ImageRequest, KeyIsTheSameWhereTheSourceWasHashedBefore) {
  const SourceKey source("additions", sample_request().source);
  for (const std::vector<std::string>& expressions : {std::vector<std::string>{"f<1>"}, {"f<2>", "f<3>"}}) {
    ImageRequest request = sample_request();
    request.expressions = expressions;
    const std::string whole = request.key("additions");
    EXPECT_EQ(source.key_of(request), whole);
    request.source = {};
    EXPECT_EQ(source.key_of(request), whole);
  }
}

TEST(ImageRequest, KeyIsTheSameForMacrosInAnyOrderThatMeansTheSame) {
  const auto key = [](std::vector<std::string> options) {
    ImageRequest request = sample_request();
    request.options = std::move(options);
    return request.key("");
  };
  EXPECT_EQ(key({"-DA=1", "-DB=2", "-O3"}), key({"-DB=2", "-O3", "-DA=1"}));
  EXPECT_EQ(key({"-D", "A=1", "-DB=2"}), key({"-DB=2", "-D", "A=1"}));
  EXPECT_NE(key({"-DA=1", "-DA=2"}), key({"-DA=2", "-DA=1"}));
  EXPECT_NE(key({"-DA=1", "-UA"}), key({"-UA", "-DA=1"}));
  EXPECT_NE(key({"-DA=1", "-DB=2"}), key({"-DA=2", "-DB=1"}));
  EXPECT_NE(key({"-Ia", "-Ib"}), key({"-Ib", "-Ia"})) << "the first folder with a header counts";
  EXPECT_NE(key({"--x=1", "--x=2"}), key({"--x=2", "--x=1"}));
}

}  // namespace
}  // namespace attune
