// What the fuzz targets share. A target is one source with the function LLVMFuzzerTestOneInput: it reads bytes as
// attune reads a foreign file, and aborts where a promise of the reader is broken. docs/security.md, "Fuzzing".
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace attune::fuzz {

// Counts the inputs that their readers took. The replay fails for a target without one: its corpus has decayed.
inline std::size_t taken = 0;

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> bytes_of(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

// Aborts with `what` unless it holds.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}

// Calls `read`, which may throw a Refusal and nothing else. Another exception ends the program.
template <typename Refusal, typename Read>
void read_or_refuse(Read read) {
  try {
    read();
    ++taken;
  } catch (const Refusal& refusal) {
    require(std::string_view(refusal.what()).size() < 4096, "a refusal is short");
  }
}

}  // namespace attune::fuzz
