// Images as bytes: docs/formats/image.md.
#include <algorithm>
#include <array>
#include <cstring>

#include "attune/error.hpp"
#include "base/byte_stream.hpp"
#include "base/digest.hpp"
#include "core/image.hpp"
#include "core/image_magic.hpp"

namespace attune {
namespace {

constexpr std::uint32_t version = 1;
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t header_bytes = image_magic.size() + 4 + 8 + digest_bytes;
// The longest short text that a file may hold; far above what compilers make.
constexpr std::uint64_t max_short_text = 4096;
constexpr std::uint64_t max_long_text = 65536;
constexpr std::uint64_t digest_digits = 2 * digest_bytes;
constexpr std::uint64_t max_functions = 65536;
constexpr std::uint64_t max_code = std::uint64_t{1} << 30;

void write_function(ByteWriter& out, const ImageFunction& function) {
  out.text(function.expression, max_long_text);
  out.text(function.symbol, max_long_text);
  out.number(static_cast<std::uint32_t>(function.usage.registers));
  out.number(function.usage.shared_static);
  out.number(function.usage.local_bytes);
  out.number(function.usage.spill_bytes);
  out.number(function.usage.constant_bytes);
}

ImageFunction read_function(ByteReader& in) {
  ImageFunction function;
  function.expression = in.text(max_long_text);
  function.symbol = in.text(max_long_text);
  function.usage.registers = static_cast<int>(in.number<std::uint32_t>());
  function.usage.shared_static = in.number<std::uint64_t>();
  function.usage.local_bytes = in.number<std::uint64_t>();
  function.usage.spill_bytes = in.number<std::uint64_t>();
  function.usage.constant_bytes = in.number<std::uint64_t>();
  return function;
}

void write_files(ByteWriter& out, const Image& image) {
  if (image.files.size() > max_image_files) throw Error("an image names more than 16384 files");
  out.flag(image.knows_files);
  out.number(static_cast<std::uint32_t>(image.files.size()));
  for (const ImageFile& file : image.files) {
    out.text(file.path, max_short_text);
    out.text(file.sha256, digest_digits);
  }
}

// The fewest bytes that a listed file takes: the lengths of two texts.
constexpr std::size_t least_file_bytes = 8;

void read_files(ByteReader& in, Image& image) {
  image.knows_files = in.flag();
  const std::uint32_t count = in.count(least_file_bytes);
  if (count > max_image_files) return in.fail();
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) {
    std::string path = in.text(max_short_text);
    image.files.push_back({std::move(path), in.text(digest_digits)});
  }
}

}  // namespace

std::optional<Image> image_of_payload(std::span<const std::byte> payload) {
  ByteReader in(payload);
  Image image;
  image.architecture = in.text(max_short_text);
  image.toolchain = in.text(max_short_text);
  const auto count = in.number<std::uint32_t>();
  if (count > max_functions) return std::nullopt;
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) image.functions.push_back(read_function(in));
  read_files(in, image);
  const auto code = in.raw(in.number<std::uint64_t>(), max_code);
  if (in.failed() || !in.at_end()) return std::nullopt;
  image.code = std::make_shared<const std::vector<std::byte>>(code.begin(), code.end());
  return image;
}

std::vector<std::byte> image_payload(const Image& image) {
  ByteWriter payload;
  payload.text(image.architecture, max_short_text);
  payload.text(image.toolchain, max_short_text);
  if (image.functions.size() > max_functions) throw Error("an image holds more than 65536 functions");
  payload.number(static_cast<std::uint32_t>(image.functions.size()));
  for (const auto& function : image.functions) write_function(payload, function);
  write_files(payload, image);
  const std::span<const std::byte> code =
      image.code ? std::span<const std::byte>(*image.code) : std::span<const std::byte>();
  if (code.size() > max_code) throw Error("an image holds more than 1 GiB of code");
  payload.number(std::uint64_t{code.size()});
  payload.raw(code);
  return payload.take();
}

std::vector<std::byte> serialise(const Image& image) {
  const auto bytes = image_payload(image);
  ByteWriter file;
  file.raw(std::as_bytes(std::span(image_magic)));
  file.number(version);
  file.number(std::uint64_t{bytes.size()});
  file.raw(sha256_bytes(bytes));
  file.raw(bytes);
  return file.take();
}

std::optional<Image> deserialise(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  ByteReader header(bytes);
  const auto found_magic = header.raw(image_magic.size(), image_magic.size());
  if (std::memcmp(found_magic.data(), image_magic.data(), image_magic.size()) != 0) return std::nullopt;
  if (header.number<std::uint32_t>() != version) return std::nullopt;
  if (header.number<std::uint64_t>() != bytes.size() - header_bytes) return std::nullopt;
  const auto digest = header.raw(digest_bytes, digest_bytes);
  const auto payload = bytes.subspan(header_bytes);
  const auto actual = sha256_bytes(payload);
  if (!std::equal(digest.begin(), digest.end(), actual.begin())) return std::nullopt;
  return image_of_payload(payload);
}

}  // namespace attune
