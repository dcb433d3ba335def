// Plain values as bytes, for files and messages. Unsigned integers are little-endian; texts and pieces follow their
// length; nothing is aligned. Reading is safe on any bytes. Each object belongs to one thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attune/error.hpp"

namespace attune {

class ByteWriter {
 public:
  template <typename Unsigned>
  void number(Unsigned value) {
    for (std::size_t i = 0; i < sizeof value; ++i)
      bytes_.push_back(static_cast<std::byte>(std::uint64_t{value} >> (8 * i)));
  }
  void integer(std::int64_t value) { number(static_cast<std::uint64_t>(value)); }
  void real(double value) { number(std::bit_cast<std::uint64_t>(value)); }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void raw(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  // Writes the length as u32, then the bytes. Throws Error when the text is longer than `limit`.
  void text(std::string_view text, std::uint64_t limit) {
    if (text.size() > limit)
      throw Error("a text of " + std::to_string(text.size()) + " bytes, where at most " + std::to_string(limit) +
                  " are stored: shorten it (" + std::string(text.substr(0, 60)) + "...)");
    number(static_cast<std::uint32_t>(text.size()));
    raw(std::as_bytes(std::span(text)));
  }
  // Writes the length as u64, then the bytes.
  void piece(std::span<const std::byte> bytes) {
    number(std::uint64_t{bytes.size()});
    raw(bytes);
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// After a missing byte or an exceeded limit, failed() is true and everything reads as zero. The bytes must outlive the
// reader.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <typename Unsigned>
  Unsigned number() {
    const auto bytes = raw(sizeof(Unsigned), sizeof(Unsigned));
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) value |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    return static_cast<Unsigned>(value);
  }
  std::int64_t integer() { return static_cast<std::int64_t>(number<std::uint64_t>()); }
  double real() { return std::bit_cast<double>(number<std::uint64_t>()); }
  bool flag() {
    const auto value = number<std::uint8_t>();
    if (value > 1) failed_ = true;
    return value == 1 && !failed_;
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
  std::span<const std::byte> piece(std::uint64_t limit) {
    const auto size = number<std::uint64_t>();
    return raw(size, limit);
  }
  // Reads a count of items that take at least `least_bytes` each. Fails and returns 0 if so many do not fit into the
  // bytes that are left.
  std::uint32_t count(std::size_t least_bytes) {
    const auto announced = number<std::uint32_t>();
    if (announced > left_.size() / least_bytes) failed_ = true;
    return failed_ ? 0 : announced;
  }
  void fail() { failed_ = true; }
  bool failed() const { return failed_; }
  bool at_end() const { return left_.empty(); }

 private:
  std::span<const std::byte> left_;
  bool failed_ = false;
};

}  // namespace attune
