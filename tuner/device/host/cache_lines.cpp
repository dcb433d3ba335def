#include "device/host/cache_lines.hpp"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace attune {

#ifdef __x86_64__

bool can_drop_lines() noexcept {
  constexpr unsigned clflushopt_bit = 1u << 23;  // of EBX, leaf 7
  static const bool can = [] {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & clflushopt_bit) != 0;
  }();
  return can;
}

[[gnu::target("clflushopt")]] void drop_lines(const void* memory, std::size_t bytes) noexcept {
  constexpr std::size_t line_bytes = 64;
  const char* const begin = static_cast<const char*>(memory);
  _mm_mfence();  // after all writes
  for (std::size_t at = 0; at < bytes; at += line_bytes) _mm_clflushopt(const_cast<char*>(begin + at));
  if (bytes > 0) _mm_clflushopt(const_cast<char*>(begin + bytes - 1));  // the last line, if they begin inside a line
  _mm_mfence();
}

#else

bool can_drop_lines() noexcept { return false; }
void drop_lines(const void*, std::size_t) noexcept {}

#endif

}  // namespace attune
