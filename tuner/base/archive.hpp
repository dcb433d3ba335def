// Archives: one list of a struct's fields serves writing and reading. `archive(x)` writes or reads a value of a basic
// type, a container of such, or a struct with fields(archive, x). A type for which a list of fields is not enough has
// write_value(archive, x) and read_value(archive, std::type_identity<T>). Reading never trusts a count, a choice or a
// number of bytes: impossible values make it fail.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/byte_stream.hpp"
#include "base/field_list.hpp"

namespace attune {

constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 30;

class WriteArchive {
 public:
  template <typename... Values>
  void operator()(const Values&... values) {
    (write(values), ...);
  }
  // Writes a field of a list that names its fields.
  template <typename T>
  void operator()(const char* /*name*/, const T& value) {
    write(value);
  }
  // Writes a value of an enumeration whose last value is `last`.
  template <typename Enum>
  void choice(const Enum& value, Enum /*last*/) {
    bytes_.number(static_cast<std::uint8_t>(value));
  }
  // Writes the number of bytes, then the bytes. A reader accepts at most max_message_bytes.
  void piece(std::span<const std::byte> bytes) { bytes_.piece(bytes); }
  std::vector<std::byte> take() { return bytes_.take(); }

 private:
  void write(bool value) { bytes_.flag(value); }
  void write(double value) { bytes_.real(value); }
  void write(std::byte value) { bytes_.number(std::to_integer<std::uint8_t>(value)); }
  void write(const std::string& value) { bytes_.text(value, max_message_bytes); }
  template <typename Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) void write(Integer value) {
    bytes_.number(static_cast<std::make_unsigned_t<Integer>>(value));
  }
  template <typename T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <typename T>
  void write(const std::vector<T>& values) {
    bytes_.number(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) write(value);
  }
  template <typename T, std::size_t N>
  void write(const std::array<T, N>& values) {
    for (const T& value : values) write(value);
  }
  template <typename Key, typename T>
  void write(const std::map<Key, T>& values) {
    bytes_.number(static_cast<std::uint32_t>(values.size()));
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <typename Struct>
  requires(std::is_class_v<Struct>) void write(const Struct& value) {
    if constexpr (requires { write_value(*this, value); }) {
      write_value(*this, value);
    } else {
      fields(*this, value);
    }
  }
  ByteWriter bytes_;
};

class ReadArchive {
 public:
  explicit ReadArchive(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <typename... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }
  template <typename T>
  void operator()(const char* /*name*/, T& value) {
    read(value);
  }
  template <typename Enum>
  void choice(Enum& value, Enum last) {
    const auto number = bytes_.number<std::uint8_t>();
    if (number > static_cast<std::uint8_t>(last)) return bytes_.fail();
    value = static_cast<Enum>(number);
  }
  auto piece() { return bytes_.piece(max_message_bytes); }
  void fail() { bytes_.fail(); }
  bool failed() const { return bytes_.failed(); }
  bool complete() const { return !bytes_.failed() && bytes_.at_end(); }

 private:
  template <typename T>
  T make() {
    if constexpr (std::is_default_constructible_v<T>) {
      T value{};
      read(value);
      return value;
    } else {
      return read_value(*this, std::type_identity<T>());
    }
  }
  void read(bool& value) { value = bytes_.flag(); }
  void read(double& value) { value = bytes_.real(); }
  void read(std::byte& value) { value = static_cast<std::byte>(bytes_.number<std::uint8_t>()); }
  void read(std::string& value) { value = bytes_.text(max_message_bytes); }
  template <typename Integer>
  requires(std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>) void read(Integer& value) {
    value = static_cast<Integer>(bytes_.number<std::make_unsigned_t<Integer>>());
  }
  template <typename T>
  void read(std::optional<T>& value) {
    value.reset();
    if (bytes_.flag()) value.emplace(make<T>());
  }
  template <typename T>
  void read(std::vector<T>& values) {
    values.clear();
    const std::uint32_t count = bytes_.count(1);
    for (std::uint32_t i = 0; i < count && !bytes_.failed(); ++i) values.push_back(make<T>());
  }
  template <typename T, std::size_t N>
  void read(std::array<T, N>& values) {
    for (T& value : values) read(value);
  }
  template <typename Key, typename T>
  void read(std::map<Key, T>& values) {
    values.clear();
    const std::uint32_t count = bytes_.count(1);
    for (std::uint32_t i = 0; i < count && !bytes_.failed(); ++i) {
      Key key = make<Key>();
      values.insert_or_assign(std::move(key), make<T>());
    }
  }
  template <typename Struct>
  requires(std::is_class_v<Struct>) void read(Struct& value) {
    if constexpr (requires { read_value(*this, std::type_identity<Struct>()); }) {
      value = read_value(*this, std::type_identity<Struct>());
    } else {
      fields(*this, value);
    }
  }
  ByteReader bytes_;
};

}  // namespace attune
