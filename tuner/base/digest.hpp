// SHA-256, by libmd and the processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace attune {

// Accumulates fields; each is preceded by its length, so that ("ab", "c") and ("a", "bc") differ.
class Digest {
 public:
  Digest();
  ~Digest();
  // Goes on from what was added so far.
  Digest(const Digest& other) noexcept;
  Digest& operator=(const Digest&) = delete;
  Digest& add(std::string_view field);
  Digest& add(std::span<const std::byte> field);
  // Returns 64 hexadecimal digits. Ends the accumulation.
  std::string hex();

 private:
  alignas(8) std::byte state_[256];  // holds a SHA2_CTX
};

std::string sha256(std::string_view text);  // 64 hexadecimal digits
std::array<std::byte, 32> sha256_bytes(std::span<const std::byte> data);

}  // namespace attune
