#include "base/uuid.hpp"

#include <sys/random.h>

#include <array>
#include <cstddef>

#include "attune/error.hpp"
#include "base/hexadecimal.hpp"

namespace attune {

std::string make_uuid() {
  std::array<std::byte, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw Error("the system gave no random bytes (getrandom)");
  bytes[6] = (bytes[6] & std::byte{0x0f}) | std::byte{0x40};  // version 4
  bytes[8] = (bytes[8] & std::byte{0x3f}) | std::byte{0x80};  // RFC 4122
  std::string uuid = hexadecimal(bytes);
  for (const std::size_t dash : {8, 13, 18, 23}) uuid.insert(dash, 1, '-');
  return uuid;
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
