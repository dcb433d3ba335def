// Sections of a bundle that are archives: a version, then one value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/archive.hpp"

namespace attune {

template <typename T>
std::vector<std::byte> encode_version(std::uint32_t version, const T& value) {
  WriteArchive archive;
  archive(version, value);
  return archive.take();
}

// Returns the value, or nothing if the bytes are damaged or of another version. Safe on any bytes.
template <typename T>
std::optional<T> decode_version(std::uint32_t version, std::span<const std::byte> bytes) {
  ReadArchive archive(bytes);
  std::uint32_t found = 0;
  archive(found);
  if (found != version) return std::nullopt;
  T value;
  archive(value);
  return archive.complete() ? std::optional(std::move(value)) : std::nullopt;
}

}  // namespace attune
