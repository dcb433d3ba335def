#include "base/uuid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/random.h>

#include <array>
#include <cstdint>
#include <span>

#include "attune/error.hpp"

namespace attune {

std::string make_uuid() {
  std::array<std::uint8_t, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system gave no random bytes (getrandom)");
  bytes[6] = static_cast<std::uint8_t>((bytes[6] & 0x0f) | 0x40);  // version 4
  bytes[8] = static_cast<std::uint8_t>((bytes[8] & 0x3f) | 0x80);  // RFC 4122
  const std::span all(bytes);
  const auto hex = [&](std::size_t offset, std::size_t count) {
    return fmt::format("{:02x}", fmt::join(all.subspan(offset, count), ""));
  };
  return fmt::format("{}-{}-{}-{}-{}", hex(0, 4), hex(4, 2), hex(6, 2), hex(8, 2), hex(10, 6));
}

std::string uuid_of(std::string_view digest) {
  std::string uuid;
  for (const std::size_t count : {8, 4, 4, 4, 12}) {
    uuid.append(uuid.empty() ? "" : "-").append(digest, 0, count);
    digest.remove_prefix(count);
  }
  uuid[14] = '8';  // version
  uuid[19] = 'a';  // variant
  return uuid;
}

}  // namespace attune
