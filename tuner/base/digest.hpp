// SHA-256, computed by libmd and, where there are any, the processor's own instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace attune {

// Hashes a list of fields, each preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
class Digest {
 public:
  Digest();
  ~Digest();
  // The copy has the fields that were added so far, and can get others from then on.
  Digest(const Digest& other) noexcept;
  Digest& operator=(const Digest&) = delete;
  Digest& add(std::string_view field);
  Digest& add(std::span<const std::byte> field);
  // Returns 64 hexadecimal digits. Nothing may be added afterwards.
  std::string hex();

 private:
  alignas(8) std::byte state_[256];  // holds a SHA2_CTX
};

std::string sha256(std::string_view text);  // 64 hexadecimal digits
std::array<std::byte, 32> sha256_bytes(std::span<const std::byte> data);

}  // namespace attune
