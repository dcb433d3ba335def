#include "base/digest.hpp"

#include <sha2.h>
#include <sys/types.h>  // sha2.h needs it

#include <new>
#include <type_traits>

#include "base/sha256_blocks.hpp"

namespace attune {
namespace {

SHA2_CTX* context(std::byte* state) noexcept { return std::launder(reinterpret_cast<SHA2_CTX*>(state)); }

const std::uint8_t* bytes(const void* data) noexcept { return static_cast<const std::uint8_t*>(data); }

// Adds whole blocks by the processor's instructions, if it has them. libmd counts bits, and keeps what is left over.
void update(SHA2_CTX& state, const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t block = SHA256_BLOCK_LENGTH;
  if (size >= 2 * block && has_sha256_blocks()) {
    const std::size_t kept = state.bitcount[0] / 8 % block, to_fill = kept == 0 ? 0 : block - kept;
    if (to_fill > 0) SHA256Update(&state, data, to_fill);
    const std::size_t blocks = (size - to_fill) / block;
    add_sha256_blocks(state.state.st32, data + to_fill, blocks);
    state.bitcount[0] += blocks * block * 8;
    data += to_fill + blocks * block;
    size -= to_fill + blocks * block;
  }
  if (size > 0) SHA256Update(&state, data, size);
}

}  // namespace

Digest::Digest() {
  static_assert(sizeof(SHA2_CTX) <= sizeof(state_) && alignof(SHA2_CTX) <= 8);
  SHA256Init(new (static_cast<void*>(state_)) SHA2_CTX);
}

Digest::Digest(const Digest& other) noexcept {
  static_assert(std::is_trivially_copyable_v<SHA2_CTX>);
  new (static_cast<void*>(state_)) SHA2_CTX(*std::launder(reinterpret_cast<const SHA2_CTX*>(other.state_)));
}

Digest::~Digest() = default;

Digest& Digest::add(std::string_view field) { return add(std::as_bytes(std::span(field))); }

Digest& Digest::add(std::span<const std::byte> field) {
  std::uint8_t length[8];
  for (unsigned i = 0; i < 8; ++i) length[i] = static_cast<std::uint8_t>(std::uint64_t{field.size()} >> (8 * i));
  update(*context(state_), length, sizeof length);
  update(*context(state_), bytes(field.data()), field.size());
  return *this;
}

std::string Digest::hex() {
  char text[SHA256_DIGEST_STRING_LENGTH];
  SHA256End(context(state_), text);
  return text;
}

std::array<std::byte, 32> sha256_bytes(std::span<const std::byte> data) {
  SHA2_CTX state;
  SHA256Init(&state);
  update(state, bytes(data.data()), data.size());
  std::array<std::byte, 32> digest;
  SHA256Final(reinterpret_cast<std::uint8_t*>(digest.data()), &state);
  return digest;
}

std::string sha256(std::string_view text) {
  SHA2_CTX state;
  SHA256Init(&state);
  update(state, bytes(text.data()), text.size());
  char hex[SHA256_DIGEST_STRING_LENGTH];
  SHA256End(&state, hex);
  return hex;
}

}  // namespace attune
