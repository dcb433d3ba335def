// Images as bytes: docs/formats/image.md.
#include <algorithm>
#include <array>
#include <cstring>

#include "attune/error.hpp"
#include "core/digest.hpp"
#include "core/image.hpp"

namespace attune {
namespace {

constexpr std::string_view magic = "ATTUNEIM";
constexpr std::uint32_t version = 1;
constexpr std::size_t digest_bytes = 32;
constexpr std::size_t header_bytes = magic.size() + 4 + 8 + digest_bytes;
// The most that a file may hold; far above what compilers make.
constexpr std::uint64_t max_short_text = 4096;
constexpr std::uint64_t max_long_text = 65536;
constexpr std::uint64_t max_functions = 65536;
constexpr std::uint64_t max_code = std::uint64_t{1} << 30;

class Writer {
 public:
  template <typename Unsigned>
  void number(Unsigned value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes_.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
  }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void text(std::string_view text, std::uint64_t limit) {
    if (text.size() > limit)
      throw Error("an image holds a name of " + std::to_string(text.size()) + " bytes; the most is " +
                  std::to_string(limit));
    number(static_cast<std::uint32_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// Reads from bytes; once something was missing or over its limit, everything reads as zero and failed() holds.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename Unsigned>
  Unsigned number() {
    const auto bytes = raw(sizeof(Unsigned), sizeof(Unsigned));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return static_cast<Unsigned>(value);
  }
  std::span<const std::byte> raw(std::uint64_t size, std::uint64_t limit) {
    if (failed_ || size > limit || size > left_.size()) {
      failed_ = true;
      return {};
    }
    const auto bytes = left_.first(size);
    left_ = left_.subspan(size);
    return bytes;
  }
  std::string text(std::uint64_t limit) {
    const auto bytes = raw(number<std::uint32_t>(), limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool failed_ = false;
};

void write_function(Writer& out, const ImageFunction& function) {
  out.text(function.expression, max_long_text);
  out.text(function.symbol, max_long_text);
  out.number(static_cast<std::uint32_t>(function.usage.registers));
  out.number(function.usage.shared_static);
  out.number(function.usage.local_bytes);
  out.number(function.usage.spill_bytes);
  out.number(function.usage.constant_bytes);
}

ImageFunction read_function(Reader& in) {
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

std::optional<Image> read_payload(std::span<const std::byte> payload) {
  Reader in(payload);
  Image image;
  image.architecture = in.text(max_short_text);
  image.toolchain = in.text(max_short_text);
  const auto count = in.number<std::uint32_t>();
  if (count > max_functions) return std::nullopt;
  for (std::uint32_t i = 0; i < count && !in.failed(); ++i) image.functions.push_back(read_function(in));
  const auto code = in.raw(in.number<std::uint64_t>(), max_code);
  if (in.failed() || !in.at_end()) return std::nullopt;
  image.code = std::make_shared<const std::vector<std::byte>>(code.begin(), code.end());
  return image;
}

}  // namespace

std::vector<std::byte> serialise(const Image& image) {
  Writer payload;
  payload.text(image.architecture, max_short_text);
  payload.text(image.toolchain, max_short_text);
  if (image.functions.size() > max_functions) throw Error("an image holds more than 65536 functions");
  payload.number(static_cast<std::uint32_t>(image.functions.size()));
  for (const auto& function : image.functions) write_function(payload, function);
  const std::span<const std::byte> code =
      image.code ? std::span<const std::byte>(*image.code) : std::span<const std::byte>();
  if (code.size() > max_code) throw Error("an image holds more than 1 GiB of code");
  payload.number(std::uint64_t{code.size()});
  payload.raw(code);
  const auto bytes = payload.take();

  Writer file;
  file.raw(std::as_bytes(std::span(magic)));
  file.number(version);
  file.number(std::uint64_t{bytes.size()});
  file.raw(sha256_bytes(bytes));
  file.raw(bytes);
  return file.take();
}

std::optional<Image> deserialise(std::span<const std::byte> bytes) {
  if (bytes.size() < header_bytes) return std::nullopt;
  Reader header(bytes);
  const auto found_magic = header.raw(magic.size(), magic.size());
  if (std::memcmp(found_magic.data(), magic.data(), magic.size()) != 0) return std::nullopt;
  if (header.number<std::uint32_t>() != version) return std::nullopt;
  if (header.number<std::uint64_t>() != bytes.size() - header_bytes) return std::nullopt;
  const auto digest = header.raw(digest_bytes, digest_bytes);
  const auto payload = bytes.subspan(header_bytes);
  const auto actual = sha256_bytes(payload);
  if (!std::equal(digest.begin(), digest.end(), actual.begin())) return std::nullopt;
  return read_payload(payload);
}

}  // namespace attune
